-- No process of the supplier that waits is due before this, but for what was committed late, which sweeps look for.
-- Claims begin to look here: not at what was claimed long ago, which stays in the index for as long as anybody reads a
-- state from before it. Null: it is not known.
ALTER TABLE suppliers ADD COLUMN due_from INTEGER;
