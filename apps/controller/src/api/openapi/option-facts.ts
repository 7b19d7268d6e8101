import type { SchemaFact } from './openapi-schema.ts';

/** Facts of Options whose names have another meaning elsewhere, or that one Method has, by `OptionsMETHOD.name`. */
export const optionFacts: Readonly<Record<string, SchemaFact>> = {
  'OptionsDomain.ExpectNameServers': { example: ['ns1.example.org', 'ns2.example.org'] },
  'OptionsDomain.ExpectRegistrar': { example: 'Example Registrar' },
  'OptionsDomain.ExpectStatus': { example: ['client transfer prohibited'] },
  'OptionsDomain.RDAPServer': { example: 'https://rdap.example.org/' },
  'OptionsLDAP.Base': { example: 'dc=example,dc=org' },
  'OptionsLDAP.ExpectAttribute': { example: 'mail' },
  'OptionsLDAP.ExpectEntries': { example: 1 },
  'OptionsLDAP.Filter': { example: '(uid=monitor)' },
  'OptionsLDAP.Scope': { example: 'Sub' },
  'OptionsLDAP.User': { example: 'cn=monitor,dc=example,dc=org' },
  'OptionsNTP.MaxOffsetMs': { example: 50 },
  'OptionsNTP.MaxRootDispersionMs': { example: 500 },
  'OptionsNTP.MaxStratum': { example: 3 },
  'OptionsNTP.ProtocolVersion': { example: 4 },
  'OptionsRADIUS.CalledStationId': { example: 'network-1' },
  'OptionsRADIUS.CallingStationId': { example: '00-00-5E-00-53-01' },
  'OptionsRADIUS.ExpectCode': { example: 'Access-Accept' },
  'OptionsRADIUS.NASIdentifier': { example: 'vantage' },
  'OptionsRADIUS.RequireMessageAuthenticator': { example: true },
  'OptionsRADIUS.Secret': { example: 'a shared secret' },
  'OptionsSIP.From': { example: 'sip:monitor@example.org' },
  'OptionsSIP.Transport': { example: 'UDP' },
  'OptionsSIP.User': { example: '100' },
};
