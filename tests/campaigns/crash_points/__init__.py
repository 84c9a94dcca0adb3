"""Campaigns 2 and 3: a process dies at each boundary of each flow; each commit's answer is lost."""
