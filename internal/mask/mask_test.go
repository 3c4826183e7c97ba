package mask

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTextHidesWhatIsPersonal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"CPF 529.982.247-25 recusado", "CPF ***.***.***-25 recusado"},
		{"cpf:52998224725", "cpf:***.***.***-25"},
		{"CNPJ 11.222.333/0001-81", "CNPJ **.***.***/****-81"},
		{"11222333000181", "**.***.***/****-81"},
		{"novo CNPJ 12.ABC.345/01DE-35.", "novo CNPJ **.***.***/****-35."},
		{"mail maria.silva+loja@example.com.br, fim", "mail m***@***, fim"},
		{"émile@exemple.fr", "é***@***"},
		{"chave Pix +5511987654321", "chave Pix +55***21"},
		{"card 4111 1111 1111 1111 declined", "card 411111******1111 declined"},
		{"pan=4111-1111-1111-1111", "pan=411111******1111"},
		{"378282246310005", "378282******0005"},
		{"(5555555555554444)", "(555555******4444)"},
		{"4222222222222", "422222******2222"},
		{"CPF52998224725", "CPF***.***.***-25"},
		{"cpf_52998224725.", "cpf_***.***.***-25."},
		{"529 982 247 25", "***.***.***-25"},
		{"529.982.247.25", "***.***.***-25"},
		{"11 222 333 0001 81", "**.***.***/****-81"},
		{"4111.1111.1111.1111", "411111******1111"},
		{"card_4111111111111111", "card_411111******1111"},
		{"nº\u00A04111\u00A01111\u00A01111\u00A01111\u00A0x", "nº\u00A0411111******1111\u00A0x"},
		{"4111 1111\u202F1111 1111", "411111******1111"},
		{"41111111 11111111", "411111******1111"},
		{"41111111-11111111", "411111******1111"},
		{"fone +55 11 98765 4321", "fone +55***21"},
		{"ligar (11) 98765-4321", "ligar (**)***21"},
		{"(11) 3456-7890", "(**)***90"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestIDsThatMerelyAreDigitsStay(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", "4711", "52998224724", "11222333000180", "4111111111111112", "11111111111", "00000000000000",
		"pi_3QdesfA000000000000001", "pay_52998224725", "E18236120202503101200s0123456789", "x4111111111111111",
		"018f2c5e-7c1a-7000-8000-000000000001", "2025-03-10T10:00:08Z", "12.ABC.345/01DE-36", "a@b", "12345678901234567890123",
		"order/17", "+5511", "@here", "card_1NXWPnCo6bFb1KQto6C8OvKA", "20251129 10000005", "cpf", "pan_", "(11)", "panels52998224725",
	} {
		if got := Text(id); got != id {
			t.Errorf("Text(%q) = %q, want it untouched", id, got)
		}
	}
}

func TestKeyHidesPeopleAndCardsButNoOtherLuhnNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"52998224725":           "***.***.***-25",
		"maria@example.com":     "m***@***",
		"pedido-529.982.247-25": "pedido-***.***.***-25",
		"4111111111111111":      "411111******1111",
		"1741600000009":         "1741600000009", // Luhn holds, but no card begins so
		"8955011234567890121":   "8955011234567890121",
	} {
		if got := Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

// A number that is masked must be one by its check digits, and one that is a
// CPF must be masked wherever a word begins.
func TestCPFIsDecidedByItsCheckDigits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := fmt.Sprintf("%09d", rapid.IntRange(1, 999_999_998).Draw(t, "base"))
		first := checkDigit(base, 11)
		second := checkDigit(base+string(first), 11)
		right := base + string([]byte{first, second})
		if uniform(right) {
			return
		}
		before := rapid.SampledFrom([]string{"", " ", "(", "cpf=", "é "}).Draw(t, "before")
		if got := Text(before + right); strings.Contains(got, base) {
			t.Fatalf("%q shows a CPF", got)
		}
		wrong := base + string([]byte{first, '0' + (second-'0'+1)%10})
		if got := Text(wrong); got != wrong {
			t.Fatalf("%q is no CPF and became %q", wrong, got)
		}
	})
}

func TestMaskingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a@b.co", "52998224725", "4111111111111111", " ", "+5511987654321",
			"é", "-", "x", "\x1b", "\xff", "11.222.333/0001-81", "9",
		})).Draw(t, "parts")
		once := Text(strings.Join(parts, ""))
		if twice := Text(once); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("CPF 529.982.247-25, 4111 1111 1111 1111")
	f.Fuzz(func(t *testing.T, s string) {
		if out := Text(s); len(out) > 3*len(s)+16 {
			t.Fatalf("%q grew to %q", s, out)
		}
		_ = Key(s)
	})
}
