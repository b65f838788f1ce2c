package replayer

// Hash is the page script's, and AsNumber what it makes of that of a number.
var (
	Hash     = hash
	AsNumber = asNumber
)
var FileName = fileName
