"""What questions and sentences say, from their words alone: names, numbers, dates, roles, who acts, who came next."""
