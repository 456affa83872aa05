"""What is known of a task without making it: options, spaces, arrays."""
