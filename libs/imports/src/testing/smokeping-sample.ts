/** SmokePing's configuration: 5 targets, one of which shows others. */
export const smokePingConfiguration = `
*** General ***
owner = Ann
*** Database ***
step = 300
pings = 20
*** Probes ***
+ FPing
binary = /usr/bin/fping
+ DNS
binary = /usr/bin/dig
lookup = example.org
pings = 5
+ Curl
urlformat = https://%host%/
+ Qstat
*** Targets ***
probe = FPing
menu = Top
title = All \\
        networks
+ berlin
menu = Berlin
++ router
title = Router in Berlin
host = 192.0.2.1
++ ns
probe = DNS
host = 192.0.2.53
+ web
probe = Curl
host = shop.example.org
+ both
host = /berlin/router /web
+ game
probe = Qstat
host = game.example.org
`;
