package retire

import "testing"

func TestAPlanOfOneOrderSaysThatTheCheapestTogetherCostLess(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.desk.supply = offers(600, 0)
	p.plans("11")
	p.SeesNot("together cost")
	p = newPerson(t)
	p.desk.supply = offers(10, 0)
	p.plans("11")
	p.Sees("$71.61", "The cheapest orders together cost $3.10 less: retire in parts")
}
