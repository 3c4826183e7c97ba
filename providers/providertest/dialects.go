package providertest

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"desfecho/internal/payment"
)

// Asaas answers as Asaas does: the rows that fit the filters, from an offset;
// one row by its id.
func (b *Book) Asaas(path string, query url.Values) (status int, body any) {
	list, id, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if id != "" {
		return one(b.find(list, "id", id), nil)
	}
	fits := b.fit(list, func(row Row) bool {
		for name, want := range query {
			field, operator, _ := strings.Cut(name, "[")
			value, _ := row[field].(string)
			date, _ := row["date"].(string)
			switch {
			case name == "startDate" && date < want[0], name == "finishDate" && isDate(date) && date > want[0],
				operator == "ge]" && value < want[0], operator == "le]" && isDate(value) && value > want[0],
				(name == "installment" || name == "externalReference" || name == "endToEndIdentifier") && value != want[0]:
				return false
			}
		}
		return true
	})
	offset, limit := number(query.Get("offset")), cmp.Or(number(query.Get("limit")), 10)
	page, more := b.cut(fits, offset, limit)
	return http.StatusOK, Row{"object": "list", "hasMore": more, "totalCount": len(fits), "limit": min(limit, b.Page), "offset": offset, "data": page}
}

// isDate tells whether a text begins like a date of this century.
func isDate(text string) bool { return strings.HasPrefix(text, "20") }

// one is an answer about one object, or the provider's no.
func one(row Row, absent any) (status int, body any) {
	if row == nil {
		return http.StatusNotFound, absent
	}
	return http.StatusOK, row
}

// Pagarme answers as Pagar.me does: pages that are counted from 1, both ends
// of a time in it.
func (b *Book) Pagarme(path string, query url.Values) (status int, body any) {
	list := strings.TrimPrefix(path, "/")
	if kind, id, found := strings.Cut(list, "/"); found && kind != "balance" {
		return one(b.find(kind, "id", id), Row{"message": strings.TrimSuffix(kind, "s") + " not found."})
	}
	fits := b.fit(list, func(row Row) bool {
		for name, want := range query {
			field, end := strings.CutSuffix(name, "_since")
			field, begin := strings.CutSuffix(field, "_until")
			if field == "created" {
				field = "created_at"
			}
			value, _ := row[field].(string)
			if name != "page" && name != "size" &&
				(end && !during(value, At(want[0]), 0) || begin && !during(value, 0, At(want[0])) || !end && !begin && value != want[0]) {
				return false
			}
		}
		return true
	})
	number, size := max(number(query.Get("page")), 1), min(number(query.Get("size")), b.Page)
	page, more := b.cut(fits, (number-1)*size, size)
	var next any
	if more {
		next = fmt.Sprintf("http://elsewhere.example/?page=%d&size=%d", number+1, size)
	}
	return http.StatusOK, Row{"data": page, "paging": Row{"total": 1, "previous": nil, "next": next}}
}

// Pix answers as a participant of Pix does: pages that are counted from 0,
// both ends of a time in it; charges by txid, Pix by endToEndId, and what was
// given back of one.
func (b *Book) Pix(path string, query url.Values) (status int, body any) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	list, absent := parts[0], Object(PixNotFound)
	id := map[string]string{"cob": "txid", "cobv": "txid", "pix": "endToEndId"}[list]
	switch len(parts) {
	case 1:
		return http.StatusOK, b.pixList(list, query)
	case 2:
		return one(b.find(list, id, parts[1]), absent)
	}
	returns, _ := b.find(list, id, parts[1])["devolucoes"].([]any)
	for _, returned := range returns {
		if row, ok := returned.(Row); ok && len(parts) == 4 && row["id"] == parts[3] {
			return http.StatusOK, row
		}
	}
	return http.StatusNotFound, absent
}

// PixNotFound is the no of a participant of Pix.
const PixNotFound = `{"type":"https://pix.bcb.gov.br/api/v2/error/NaoEncontrado","title":"Não Encontrado","status":404,"detail":"Entidade não encontrada."}`

func (b *Book) pixList(list string, query url.Values) Row {
	from, to := At(query.Get("inicio")), At(query.Get("fim"))
	fits := b.fit(list, func(row Row) bool {
		when, _ := row["horario"].(string)
		if calendar, ok := row["calendario"].(Row); ok {
			when, _ = calendar["criacao"].(string)
		}
		returns, _ := row["devolucoes"].([]any)
		return during(when, from, to) && (!query.Has("txid") || row["txid"] == query.Get("txid")) &&
			(query.Get("devolucaoPresente") != "true" || len(returns) > 0)
	})
	number, size := number(query.Get("paginacao.paginaAtual")), min(number(query.Get("paginacao.itensPorPagina")), b.Page)
	told := Row{"parametros": Row{"inicio": query.Get("inicio"), "fim": query.Get("fim"), "paginacao": Row{ //nolint:misspell // it is Portuguese
		"paginaAtual": number, "itensPorPagina": size, "quantidadeDePaginas": (len(fits) + size - 1) / size, "quantidadeTotalDeItens": len(fits),
	}}}
	if len(fits) > 0 {
		told[map[string]string{"pix": "pix", "cob": "cobs", "cobv": "cobs"}[list]], _ = b.cut(fits, number*size, size)
	}
	return told
}

// Zoop answers as Zoop does: transactions from an offset, oldest first, its
// numbers as texts.
func (b *Book) Zoop(path string, query url.Values) (status int, body any) {
	list := path[strings.LastIndex(path, "/")+1:]
	if _, there := b.Lists[list]; !there {
		return one(b.find("transactions", "id", list), Object(`{"error":{"status":"Not Found","status_code":404,"type":"invalid_request_error","category":"resource_not_found"}}`))
	}
	const second = payment.Instant(time.Second / time.Microsecond)
	since, until := payment.Instant(number(query.Get("date_range[gte]")))*second, payment.Instant(number(query.Get("date_range[lt]")))*second
	fits := b.fit(list, func(row Row) bool {
		return during(row["created_at"].(string), since, max(until-1, 0)) && (!query.Has("reference_id") || row["reference_id"] == query.Get("reference_id"))
	})
	offset := number(query.Get("offset"))
	page, more := b.cut(fits, offset, number(query.Get("limit")))
	return http.StatusOK, Row{
		"resource": "list", "uri": path, "limit": query.Get("limit"), "offset": strconv.Itoa(offset), "has_more": more,
		"query_count": len(page), "total": strconv.Itoa(len(fits)), "items": page,
	}
}
