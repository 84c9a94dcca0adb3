"""The running product against a small reference of the rules, over random stories."""
