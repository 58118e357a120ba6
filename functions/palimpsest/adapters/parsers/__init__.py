"""Files of any kind made into text, in a process of their own."""
