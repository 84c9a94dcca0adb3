"""The rules once more, small and apart from the product: what must follow from each act.

Written from the design; imports nothing of the product but its words. Time is in whole minutes,
and every length is a number of them, so that nothing hangs on how long a step takes; an instant
that is reached is over. An act returns the code that it is refused with, or "".
"""
