package autonomy

// trie holds phrases by their bytes. A walk takes at most as many steps as the
// longest phrase is long, so that a text is read in linear time.
type trie struct {
	root  [256]int32 // node by first byte; 0 is none
	nodes []trieNode
}

type trieNode struct {
	key            byte
	child, sibling int32 // 0 is none: the root is no node
	ends           []end
}

// end is the end of a phrase.
type end struct {
	class class
	open  bool // a word may go on behind it
	first bool // it stands at the beginning of a sentence
}

func (t *trie) add(key []byte, e end) {
	if len(key) == 0 {
		return
	}
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, trieNode{})
	}
	at := t.root[key[0]]
	if at == 0 {
		at = t.make(key[0])
		t.root[key[0]] = at
	}
	for _, c := range key[1:] {
		to := t.step(at, c)
		if to == 0 {
			to = t.make(c)
			t.nodes[to].sibling = t.nodes[at].child
			t.nodes[at].child = to
		}
		at = to
	}
	t.nodes[at].ends = append(t.nodes[at].ends, e)
}

func (t *trie) make(key byte) int32 {
	t.nodes = append(t.nodes, trieNode{key: key})
	return int32(len(t.nodes) - 1)
}

func (t *trie) step(at int32, c byte) int32 {
	for to := t.nodes[at].child; to != 0; to = t.nodes[to].sibling {
		if t.nodes[to].key == c {
			return to
		}
	}
	return 0
}

// walk calls found for each phrase that b begins with, and its length.
func (t *trie) walk(b []byte, found func(e end, n int)) {
	if len(b) == 0 {
		return
	}
	at := t.root[b[0]]
	for n := 1; at != 0; n++ {
		for _, e := range t.nodes[at].ends {
			found(e, n)
		}
		if n == len(b) {
			return
		}
		at = t.step(at, b[n])
	}
}
