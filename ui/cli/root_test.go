package cli

import "testing"

func TestARunMakesOnlyTheCommandThatItBeginsWith(t *testing.T) {
	t.Parallel()
	a := &app{terminal: new(terminal)}
	if all := a.root(nil).Commands(); len(all) != 0 {
		t.Errorf("the dashboard makes %d commands, and needs none", len(all))
	}
	for _, b := range a.branches() {
		made := a.root([]string{b.name, "--help"}).Commands()
		if b.group != "" && (len(made) != 1 || made[0].Name() != b.name) {
			t.Errorf("tonne %s makes %d commands, the first of them %s", b.name, len(made), made[0].Name())
		}
		if b.group == "" && len(made) < len(a.branches()) {
			t.Errorf("tonne %s, which tells of all commands, makes %d of them", b.name, len(made))
		}
	}
}

func TestACommandThatIsMadeAloneSaysWhatItSaysAmongTheOthers(t *testing.T) {
	t.Parallel()
	for _, b := range new(app).branches() {
		alone, among := newWorld(t, nil).must(b.name, "--help"), newWorld(t, nil).must("help", b.name)
		if alone != among {
			t.Errorf("tonne %s --help:\n%s\ntonne help %s:\n%s", b.name, alone, b.name, among)
		}
	}
}
