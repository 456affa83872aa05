"""The worker's side: what runs in a worker process, and makes and steps environments there."""
