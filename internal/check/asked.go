package check

import "fmt"

// The lines of what providers are asked, one or more for each account.
const (
	ProviderReach     = "provider_reach"
	ProviderAccount   = "provider_account"
	ProviderAccess    = "provider_access"
	ProviderClock     = "provider_clock"
	ProviderStatement = "provider_statement"
	ProviderLookup    = "provider_lookup"
)

// AskedAudits lists what is found out by asking a provider. They are asked by
// the caller, who alone speaks to providers.
func AskedAudits() []Audit {
	return []Audit{
		{Name: ProviderReach, Question: "Does the provider answer?", Do: "look at the reason, the network, proxy and ca_file; nothing is concluded from what does not answer"},
		{Name: ProviderAccount, Question: "Is the credential taken, and is it of the account whose statements are stored?", Do: "use a credential of that account and mode; an account of its own needs an entry of its own"},
		{Name: ProviderAccess, Question: "Can the credential do more than read?", Do: "use a credential that may only read, where the provider has such; else keep it where only desfecho reads it"},
		{Name: ProviderClock, Question: "Do the provider and this machine tell the same time?", Do: "set this machine's clock by NTP; ages are counted by the database's"},
		{Name: ProviderStatement, Question: "Is each statement shown?", Do: "give the credential the right to read it: the provider's page says which; without it nothing is called absent"},
		{Name: ProviderLookup, Question: "Does each way to ask about an attempt show an object that exists?", Do: "give the credential the right to ask so, or look at how the reference is sent; without it a no counts for nothing"},
	}
}

// Asked is one line about an account.
func Asked(name, account string, level Level, format string, args ...any) Finding {
	f := Finding{Name: name, Level: level, Example: account, Says: fmt.Sprintf(format, args...)}
	for _, a := range AskedAudits() {
		if a.Name == name && (level == Warning || level == Fault) {
			f.Do = a.Do
		}
	}
	return f
}
