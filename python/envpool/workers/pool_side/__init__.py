"""The pool's side: who starts the workers, sends to them and reads what they return."""
