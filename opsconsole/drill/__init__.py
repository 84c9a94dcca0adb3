"""`manage.py drill`: the crash windows, played with really killed processes on a running console.

In an environment of its own (decision 0008). The agents and dispatchers that die are the drill's;
it ends no process of the installation. A full run leaves three questions open, outside everybody's
inbox. The two orders behind them that are unknown are looked up every 8 to 10 hours until somebody
settles them.
"""
