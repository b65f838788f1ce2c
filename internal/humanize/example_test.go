package humanize_test

import (
	"fmt"

	"github.com/go-reprise/reprise/internal/humanize"
)

func ExampleNew() {
	p := humanize.New(42)
	button := humanize.Rect{X: 400, Y: 300, Width: 120, Height: 32}
	at := p.Aim(button)
	moves := p.Path(humanize.Point{X: 20, Y: 40}, at, button)
	last := moves[len(moves)-1]
	fmt.Println("arrived:", float64(last.X) == at.X && float64(last.Y) == at.Y)
	fmt.Println("presses:", len(p.Presses(2)))
	// Output:
	// arrived: true
	// presses: 2
}

func ExamplePersona_TypeExactly() {
	for _, key := range humanize.New(42).TypeExactly("Hi!") {
		fmt.Println(key.Name, key.Up > key.Down)
	}
	// Output:
	// Shift true
	// H true
	// i true
	// Shift true
	// ! true
}

func ExamplePersona_Wheel() {
	scrolled := 0.0
	for _, notch := range humanize.New(42).Wheel(0, 420) {
		scrolled += notch.DY
	}
	fmt.Println(scrolled)
	// Output: 400
}
