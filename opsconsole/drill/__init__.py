"""`manage.py drill`: the crash windows, played with really killed processes on a running console.

In an environment of its own (decision 0008). The agents and dispatchers that die are the drill's;
it ends no process of the installation.
"""
