package autonomy

// wording appends what the words of a sentence say: each by itself, with its
// neighbours, and by how it begins.
func wording(to []uint32, words []token, asked uint32) []uint32 {
	one, two, three := uint32(tokenStart), uint32(0), uint32(0) // the words before, the last first
	begins := uint32(hashStart)
	for i := range words {
		t := &words[i]
		if i > 0 && !t.wide {
			to = append(to, hashed(join(words[i-1].stem, t.stem), kindStems))
		}
		if i < wordsOfBeginning {
			begins = join(begins, t.stem)
			to = append(to, hashed(begins, kindBegins+asked))
		}
		to = append(to, hashed(t.word, kindWord+asked), hashed(join(one, t.word), kindPair))
		switch {
		case !t.wide:
			to = append(to, hashed(t.stem, kindStem))
		case three != 0:
			to = append(to, hashed(join(join(join(three, two), one), t.word), kindFour))
		}
		three, two, one = two, one, t.word
	}
	return append(to, hashed(join(one, tokenEnd), kindPair))
}

// wordsOfBeginning is how many stems a sentence is told by.
const wordsOfBeginning = 3

// wordsBehind is how many words of the next sentence are looked at: an answer to a
// question shows in them.
const wordsBehind = 3

// following appends how the next sentence begins.
func following(to []uint32, next []token, asked uint32, length uint32) []uint32 {
	h := uint32(hashStart)
	for n := range min(wordsBehind+1, len(next)) {
		h = join(h, next[n].word)
		to = append(to, hashed(h, kindFollows+2*uint32(n+1)+asked))
	}
	return append(to, hashed(length, kindLength+asked))
}
