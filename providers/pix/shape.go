package pix

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/money"
	"desfecho/internal/payment"
)

var brl = money.MustCurrency("BRL")

// The shapes of the answers, as far as they are read. What holds personal data
// (payer, key, messages) is not named here and so never gets into a value.

// list is a page of any list. Its array is missing where it is empty.
type list struct {
	Parameters struct {
		Paging struct {
			Current *int64 `json:"paginaAtual"`
			Pages   *int64 `json:"quantidadeDePaginas"`
			Total   *int64 `json:"quantidadeTotalDeItens"`
		} `json:"paginacao"`
	} `json:"parametros"`
	Charges  []charge   `json:"cobs"`
	Received []received `json:"pix"`
}

// charge is a cob, or a cobv.
type charge struct {
	TxID     string `json:"txid"`
	Status   string `json:"status"`
	Calendar struct {
		Created string      `json:"criacao"`
		Seconds json.Number `json:"expiracao"`
		Due     string      `json:"dataDeVencimento"`
		Days    json.Number `json:"validadeAposVencimento"`
	} `json:"calendario"`
	Value struct {
		Original string `json:"original"`
	} `json:"valor"`
	Extra    []extra    `json:"infoAdicionais"`
	Received []received `json:"pix"`
}

type extra struct {
	Name  string `json:"nome"`
	Value string `json:"valor"`
}

// received is a Pix that came in.
type received struct {
	EndToEnd string     `json:"endToEndId"`
	TxID     string     `json:"txid"`
	Value    string     `json:"valor"`
	At       string     `json:"horario"`
	Parts    parts      `json:"componentesValor"`
	Returns  []returned `json:"devolucoes"`
}

// parts are what the value of a Pix is made of.
type parts struct {
	Original part `json:"original"`
	Cash     part `json:"saque"`
	Change   part `json:"troco"`
}

type part struct {
	Value string `json:"valor"`
}

// returned is a devolução.
type returned struct {
	ID     string `json:"id"`
	RtrID  string `json:"rtrId"`
	Value  string `json:"valor"`
	Nature string `json:"natureza"`
	Status string `json:"status"`
	Time   struct {
		Asked string `json:"solicitacao"`
		Done  string `json:"liquidacao"`
	} `json:"horario"`
}

// problem is the body of an error.
type problem struct {
	Type string `json:"type"`
}

// absent says whether the problem is the participant's own no. A gateway in
// front says 404 too, and means that nobody listens there.
func (p *problem) absent() bool {
	word := strings.ToLower(p.Type[strings.LastIndexByte(p.Type, '/')+1:])
	return strings.HasSuffix(word, "naoencontrado") || strings.HasSuffix(word, "naoencontrada")
}

var amountForm = regexp.MustCompile(`^[0-9]{1,10}\.[0-9]{2}$`)

// minorOf reads reais with two decimals, as the API writes them, and nothing
// else.
func minorOf(text string) (int64, error) {
	if !amountForm.MatchString(text) {
		return 0, fmt.Errorf("%q is no amount: want reais with two decimals", text)
	}
	return strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
}

// momentOf reads a time with its zone.
func momentOf(text string) (payment.Instant, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Unix() <= 0 || t.Year() > 9999 {
		return 0, fmt.Errorf("%q is no time with a zone", text)
	}
	return payment.InstantOf(t), nil
}
