"""Tables, pages and files. Knows every other room."""
