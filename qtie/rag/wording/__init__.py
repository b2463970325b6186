"""What questions and sentences say, from their words alone: names, numbers, dates, durations, changes, who acts."""
