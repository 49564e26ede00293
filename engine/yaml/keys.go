package yaml

import "ucas/engine/tree"

// keys finds keys that a mapping has already. The few keys that most
// mappings have are compared one by one, which is faster than any table and
// takes no memory; the table is for longer ones.
type keys map[string]*tree.Node

// fewKeys is up to how many keys are compared one by one.
const fewKeys = 16

// find returns the child of a mapping that has the key of c, or nil. The
// children that are linked to the mapping are those before c.
func (k *keys) find(mapping, c *tree.Node) *tree.Node {
	if mapping.Len < fewKeys {
		return mapping.Get(c.Key)
	}
	if *k == nil {
		*k = make(keys, 4*fewKeys)
		for child := range mapping.Items() {
			(*k)[child.Key] = child
		}
	}
	first := (*k)[c.Key]
	if first == nil {
		(*k)[c.Key] = c
	}
	return first
}
