package partition

import (
	"encoding/binary"

	"desfecho/internal/payment"
	"desfecho/reconcile"
)

// record is a row that may be one of a pair.
type record struct {
	row   uint32
	sort  uint32
	line  bool
	day   payment.Day
	place Place
	check uint64 // the provider's id under the seed
	minor int64  // of the attempt
	sale  reconcile.SaleLine
}

const recordSize = 1 + 4 + 4 + 4 + 8 + 8 + 8

func (r *record) append(to []byte) []byte {
	kind := byte(0)
	if r.line {
		kind = 1
	}
	to = append(to, kind)
	to = binary.LittleEndian.AppendUint32(to, r.row)
	to = binary.LittleEndian.AppendUint32(to, r.sort)
	to = binary.LittleEndian.AppendUint32(to, uint32(r.day))
	to = binary.LittleEndian.AppendUint64(to, uint64(r.place))
	to = binary.LittleEndian.AppendUint64(to, r.check)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.minor))
	if r.line {
		for _, v := range [...]uint64{uint64(r.sale.Fee), uint64(r.sale.Tax), uint64(r.sale.Net), r.sale.Digest} {
			to = binary.LittleEndian.AppendUint64(to, v)
		}
	}
	return to
}

// next reads a record; false at the end.
func (r *record) next(in *reader) (bool, error) {
	b, err := in.take(recordSize)
	if err != nil || len(b) == 0 {
		return false, err
	}
	if len(b) < recordSize {
		return false, errShort
	}
	le := binary.LittleEndian
	*r = record{
		line: b[0] == 1, row: le.Uint32(b[1:]), sort: le.Uint32(b[5:]), day: payment.Day(le.Uint32(b[9:])), place: Place(le.Uint64(b[13:])),
		check: le.Uint64(b[21:]), minor: int64(le.Uint64(b[29:])),
	}
	if !r.line {
		return true, nil
	}
	if b, err = in.take(32); err != nil {
		return false, err
	}
	if len(b) < 32 {
		return false, errShort
	}
	r.sale = reconcile.SaleLine{Gross: r.minor, Fee: int64(le.Uint64(b)), Tax: int64(le.Uint64(b[8:])), Net: int64(le.Uint64(b[16:])), Digest: le.Uint64(b[24:])}
	return true, nil
}
