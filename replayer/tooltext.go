package replayer

// Description is what a program's own tool says of itself, "" for one of the format.
func (t *Tools) Description(name string) string { return t.known()[name].Description }
