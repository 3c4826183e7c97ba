package propose

import (
	"regexp"
	"slices"
	"strings"

	"desfecho/internal/catalog"
)

// pattern finds the column of one field by its name. Names are tried before
// forms, in order; both in English and Portuguese. types, where given, is what
// the column's type must look like.
type pattern struct {
	names []string
	forms *regexp.Regexp
	types *regexp.Regexp
}

var (
	timeType   = regexp.MustCompile(`timestamp|date|time|^text$|^integer$|^bigint$|^$`)
	numberType = regexp.MustCompile(`int|numeric|decimal|money|real|^number|^$`)
	decimal    = regexp.MustCompile(`numeric|decimal|money|real|double|float`)
	zoned      = regexp.MustCompile(`timestamptz|with time zone|^bigint$|^integer$`)
)

func names(list string) []string { return strings.Fields(list) }

// patterns in the order in which fields choose: a column serves one field.
func patterns() []struct {
	field string
	pattern
} {
	return []struct {
		field string
		pattern
	}{
		{"key", pattern{names: names("idempotency_key chave_idempotencia chave_de_idempotencia idempotency_token idem_key idempotencia"), forms: regexp.MustCompile(`idempot`)}},
		{"provider_charge_id", pattern{
			names: names("provider_charge_id provider_payment_id provider_transaction_id provider_id gateway_id gateway_charge_id psp_reference psp_id external_id id_externo transacao_externa id_transacao_externa e2eid end_to_end_id txid tid nsu"),
			forms: regexp.MustCompile(`^(provider|gateway|psp|stripe|asaas|pagarme|adquirente|provedor).*_(id|reference|ref)$|^(id|ref)_(externo|provedor|adquirente|gateway)`),
		}},
		{"payload_hash", pattern{names: names("payload_hash request_hash body_hash payload_digest hash_payload hash_requisicao hash_corpo fingerprint"), forms: regexp.MustCompile(`(payload|request|body|corpo|requisicao).*(hash|digest)`)}},
		{"reserve", pattern{names: names("reserve_status reserve_state reserva_status status_reserva situacao_reserva")}},
		{"status", pattern{names: names("status state situacao situação estado"), forms: regexp.MustCompile(`^(status|situacao|estado)_|_(status|situacao|estado)$`)}},
		{"provider", pattern{names: names("provider gateway psp provedor adquirente acquirer operadora processor processador")}},
		{"account", pattern{names: names("provider_account merchant_account account_id conta_provedor subconta account conta")}},
		{"created_at", pattern{
			names: names("created_at criada_em criado_em inserted_at created_on created data_criacao dt_criacao date_created criacao"),
			forms: regexp.MustCompile(`^(created|criad|inserted|inserid)|_(criacao|created)$`), types: timeType,
		}},
		{"updated_at", pattern{names: names("updated_at atualizada_em atualizado_em modified_at alterada_em alterado_em dt_atualizacao data_atualizacao"), forms: regexp.MustCompile(`^(updated|atualizad|modified|alterad)`), types: timeType}},
		{"last_sent", pattern{names: names("last_sent_at last_sent sent_at enviada_em enviado_em ultimo_envio ultima_tentativa last_attempt_at"), types: timeType}},
		{"resolved_at", pattern{names: names("resolved_at settled_at finished_at completed_at finalized_at resolvida_em resolvido_em finalizada_em finalizado_em concluida_em concluido_em liquidada_em"), types: timeType}},
		{"amount", pattern{
			names: names("amount_cents amount_minor amount_in_cents valor_centavos valor_em_centavos price_cents amount valor value total montante quantia"),
			forms: regexp.MustCompile(`(amount|valor|montante|quantia|price|preco).*(cents|centavos|minor)|^(amount|valor)_|_(amount|valor)$`), types: numberType,
		}},
		{"currency", pattern{names: names("currency currency_code moeda codigo_moeda")}},
		{"charge", pattern{
			names: names("charge_id payment_id cobranca_id pagamento_id order_id pedido_id invoice_id fatura_id sale_id venda_id compra_id purchase_id transaction_id transacao_id id_pedido id_cobranca id_pagamento"),
			forms: regexp.MustCompile(`^(charge|payment|order|invoice|sale|cobranca|pagamento|pedido|fatura|venda|compra).*(_id|id|_ref|_code)$`),
		}},
		{"operation", pattern{names: names("operation operacao operação operation_type tipo_operacao kind type tipo")}},
		{"last_error", pattern{
			names: names("last_error error_message error ultimo_erro erro mensagem_erro failure_reason motivo_falha motivo_recusa resposta_http http_status response_status"),
			forms: regexp.MustCompile(`(^|_)(error|erro)(_|$)`),
		}},
		{"version", pattern{names: names("lock_version version versao versão")}},
	}
}

// column finds the field's column among those that are free, and says how:
// "by its name", "by the form of its name".
func (p pattern) column(t *catalog.Table, taken []string) (name, how string) {
	free := func(c catalog.Column) bool {
		return !slices.Contains(taken, c.Name) && (p.types == nil || p.types.MatchString(c.Type))
	}
	for _, wanted := range p.names {
		for _, c := range t.Columns {
			if strings.EqualFold(c.Name, wanted) && free(c) {
				return c.Name, "by its name"
			}
		}
	}
	for _, c := range t.Columns {
		if p.forms != nil && p.forms.MatchString(strings.ToLower(c.Name)) && free(c) {
			return c.Name, "by the form of its name"
		}
	}
	return "", ""
}

// fields maps the columns of a table.
func fields(t *catalog.Table) (columns, how map[string]string) {
	columns, how = map[string]string{}, map[string]string{}
	var taken []string
	if id := t.Primary(); id != "" {
		columns["id"], how["id"] = id, "the primary key"
		taken = append(taken, id)
	} else if _, there := t.Column("id"); there {
		columns["id"], how["id"] = "id", "by its name"
		taken = append(taken, "id")
	}
	for _, p := range patterns() {
		if name, by := p.column(t, taken); name != "" {
			columns[p.field], how[p.field] = name, by
			taken = append(taken, name)
		}
	}
	return columns, how
}

// statusWords are the words that people use, by what they mean.
func statusWords() map[string][]string {
	return map[string][]string{
		"pending":   names("pending pendente created criada criado new nova novo processing processando em_processamento in_progress submitted sent enviada enviado aguardando waiting started iniciada iniciado open aberta aberto"),
		"unknown":   names("unknown desconhecida desconhecido indefinida indefinido uncertain incerta incerto timeout timed_out sem_resposta em_duvida indeterminada indeterminado"),
		"succeeded": names("succeeded success successful sucesso paid paga pago captured capturada capturado approved aprovada aprovado confirmed confirmada confirmado completed concluida concluido settled liquidada liquidado done ok"),
		"failed":    names("failed failure falha falhou falhada declined recusada recusado rejected rejeitada rejeitado refused error erro negada negado denied canceled cancelled cancelada cancelado expired expirada expirado voided"),
	}
}

// reserveWords are those of money set aside for an outflow, by what they mean.
func reserveWords() map[string][]string {
	return map[string][]string{
		"held":     names("held hold on_hold reserved active pending open created locked blocked reservada reservado retida retido bloqueada bloqueado ativa ativo pendente aberta aberto"),
		"released": names("released free freed returned canceled cancelled voided unlocked liberada liberado devolvida devolvido cancelada cancelado estornada estornado"),
		"consumed": names("consumed used spent captured settled debited paid consumida consumido usada usado debitada debitado baixada baixado efetivada efetivado paga pago"),
	}
}

// statuses in the order of their lists.
func statuses() []string { return []string{"pending", "unknown", "succeeded", "failed"} }

// means is the status that a word stands for, "" where it is not known.
func means(word string) string { return meant(statusWords(), word) }

func meant(words map[string][]string, word string) string {
	for meaning, known := range words {
		if slices.Contains(known, strings.ToLower(strings.ReplaceAll(word, " ", "_"))) {
			return meaning
		}
	}
	return ""
}
