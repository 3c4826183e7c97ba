package cases

import (
	"reflect"
	"time"

	"desfecho/internal/payment"
)

// Move moves the whole story in time: every instant of the case, and every day
// by the nearest number of days. What is expected of days and intervals in maps
// stays.
func (c *Case) Move(by time.Duration) { move(reflect.ValueOf(c), by) }

func move(v reflect.Value, by time.Duration) {
	switch at := v.Interface().(type) {
	case payment.Instant:
		if !at.IsZero() {
			v.Set(reflect.ValueOf(at.Add(by)))
		}
		return
	case payment.Day:
		v.Set(reflect.ValueOf(at + payment.Day(by.Round(24*time.Hour)/(24*time.Hour))))
		return
	}
	kind := v.Kind()
	if kind == reflect.Pointer && !v.IsNil() {
		move(v.Elem(), by)
	}
	if kind == reflect.Slice || kind == reflect.Array {
		for i := range v.Len() {
			move(v.Index(i), by)
		}
	}
	if kind != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			move(v.Field(i), by)
		}
	}
}
