export interface paths {
    "/hello": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Greeting with the caller's address and the time in UTC; with a key also what it may do
         * @description Plain text. With `fmt` the same facts as JSON, XML or CSV: Address, Time, Key, KeyType, AuthLevel, HTTPAuth.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<hello>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Works without a key.
         */
        get: operations["sayHello"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/trial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks settings once, before they are stored, and answers with the record
         * @description Checks settings once, before they are stored, and answers with the record.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<check>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["tryCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{check_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One check
         * @description One check.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<check>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checks/{check_id}/extended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything else that is known about a check
         * @description Everything else that is known about a check.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<check>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getExtendedCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A device's checks, newest first
         * @description A device's checks, newest first.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<checks>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listDeviceChecks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a device now and answers with the record
         * @description Checks a device now and answers with the record.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<check>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        post: operations["checkDeviceNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists devices, in the order of their creation unless Sort names another one
         * @description Lists devices, in the order of their creation unless Sort names another one.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<devices>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listDevices"];
        put?: never;
        /**
         * Creates a device. It is checked within 5 seconds
         * @description Creates a device. It is checked within 5 seconds.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A device's settings and state
         * @description A device's settings and state.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getDevice"];
        /**
         * Changes settings: what is absent stays, null clears an optional one. Method cannot be changed
         * @description Changes settings: what is absent stays, null clears an optional one. Method cannot be changed.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateDevice"];
        post?: never;
        /**
         * Deletes a device. Refused while it is the master of others
         * @description Deletes a device. Refused while it is the master of others.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes, tags, maintains or deletes many devices: first a preview, then with its Token
         * @description The first request changes nothing. It answers how many devices Filter leaves, how many of them would change and which would be refused, and a Token. The same body with the Token does it: 1005 where Filter leaves other devices by then. What a device refuses only when it is done (a private address at a Location that checks public targets only) is in the answer of the second request. A change that was interrupted goes on with the same request, as long as Done is false; a repetition of one that is done answers the same. With a key that is limited to tags, and in an atomic batch, each request does a part: repeat it until Done is true. GET /device-changes/{change_id} (the Token) shows how far it is. The audit has one entry for all of it.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<change>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["changeDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/device-changes/{change_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a change of many devices is
         * @description How far a change of many devices is.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<change>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getDevice-change"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many devices have each status, in all and by tag and Location; and how many alerts are open
         * @description How many devices have each status, in all and by tag and Location; and how many alerts are open.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<summary>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * States of devices for lists of thousands, and what changed since an earlier answer
         * @description States of devices for lists of thousands, and what changed since an earlier answer.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<states>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A device's events, newest first
         * @description A device's events, newest first.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<events>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listDeviceEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The account's events, newest first; with stream as server-sent events
         * @description The account's events, newest first; with stream as server-sent events.
         *
         *     With `stream` the answer is `text/event-stream`: each `data` holds one of the records described here.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<events>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/start-maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Starts maintenance, or sets the end of the one that runs anew. Checks go on, alerts do not
         * @description Starts maintenance, or sets the end of the one that runs anew. Checks go on, alerts do not.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["startMaintenance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/stop-maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Ends all current maintenance; the state is what checks say
         * @description Ends all current maintenance; the state is what checks say.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<device>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["stopMaintenance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists maintenance that runs or is planned, what began first first
         * @description Of maintenance schedules the windows of the next 62 days, at most 100 of each schedule. A request for a tag, or an occurrence of a schedule, is one maintenance of many devices.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<maintenances>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listMaintenance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/maintenance/{maintenance_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Maintenance that runs or is planned
         * @description Maintenance that runs or is planned.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<maintenance>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getMaintenance"];
        put?: never;
        post?: never;
        /**
         * Ends maintenance that runs, or cancels what is planned
         * @description All of its devices leave it; other maintenance of them goes on. Of a schedule this one occurrence is cancelled, the others stay.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<maintenance>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        delete: operations["endMaintenance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A device's outages, newest first
         * @description A device's outages, newest first.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<outages>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listDeviceOutages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The outages of all the account's devices, newest first
         * @description The outages of all the account's devices, newest first.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<outages>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listOutages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/outages/{outage_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An outage
         * @description An outage.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<outage>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getOutage"];
        /**
         * Notes what people say about an outage, or leaves it out of uptime
         * @description A field that is not sent stays as it is.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<outage>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateOutage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/suggested-master": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The device's nearest router that is itself a device of the account
         * @description Failed checks keep traceroutes, and POST /devices/{device_id}/traceroute makes one. The nearest hop that is a device of the account is suggested as the master, if all Locations reach the device by it. Nothing is changed.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<suggestion>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getDeviceSuggested-master"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/traceroute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a device now, and answers with the path to it
         * @description An agent of the device's Locations checks the device and then traces the path with the check's own packets (ICMP for PING, UDP for DNS, else TCP to its port), for ten seconds at most. The traceroute stays with its check. 1005: no agent is connected, the agents are too old, or the agent cannot trace; the message has the reason.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<traceroute>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        post: operations["traceDeviceNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The statuses of up to 500 devices over a period, as intervals
         * @description A device that was created within the period has intervals from then on.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<timelines>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["getTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/uptime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Seconds up, down, in maintenance and unobserved. Uptime is UpSeconds / (UpSeconds + DownSeconds)
         * @description Seconds up, down, in maintenance and unobserved. Uptime is UpSeconds / (UpSeconds + DownSeconds).
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<uptime>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getUptime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uptime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Uptime of many devices, in the order of their creation
         * @description Without Timestamp1 the period of each device begins at its creation; it is empty for a device that was created after Timestamp2.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<uptimes>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listUptimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{device_id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count, availability, loss and percentiles per Location
         * @description Count, availability, loss and percentiles per Location.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<statistics>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists tags by name
         * @description Lists tags by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tags>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listTags"];
        put?: never;
        /**
         * Creates a tag
         * @description Creates a tag.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A tag and its devices
         * @description A tag and its devices.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getTag"];
        /**
         * Changes a tag
         * @description Changes a tag.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateTag"];
        post?: never;
        /**
         * Deletes a tag; its devices stay
         * @description Deletes a tag; its devices stay.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag_id}/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Attaches a tag to a device
         * @description Attaches a tag to a device.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["attachTag"];
        post?: never;
        /**
         * Takes a tag off a device
         * @description Takes a tag off a device.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["detachTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag_id}/start-maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Starts maintenance of the tag's devices of this moment
         * @description Starts maintenance of the tag's devices of this moment.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["startTagMaintenance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag_id}/stop-maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Ends all current maintenance of the tag's devices of this moment
         * @description Ends all current maintenance of the tag's devices of this moment.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<tag>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["stopTagMaintenance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's account
         * @description The caller's account.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<account>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getAccount"];
        /**
         * Changes the account: what is absent stays
         * @description Changes the account: what is absent stays.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<account>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateAccount"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists Locations by name
         * @description Lists Locations by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<locations>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listLocations"];
        put?: never;
        /**
         * Creates a Location
         * @description A Location checks devices once it has an agent. The first Location named local gets the devices that name no Locations, while the account has no DefaultLocations.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<location>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/locations/{location_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A Location, its agents and its load
         * @description A Location, its agents and its load.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<location>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getLocation"];
        /**
         * Changes a Location: what is absent stays
         * @description PublicTargetsOnly cannot be set while devices of the Location have private addresses (1005). A Location that checks the devices which name no Locations goes on to do so under its new name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<location>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateLocation"];
        post?: never;
        /**
         * Deletes a Location that no device and no agent names
         * @description 1005 names the devices and agents that are in the way, and the account's DefaultLocations. Revoked agents count until they are removed. History goes on to show the name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<location>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteLocation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists agents in the order of their creation
         * @description Revoked agents are listed until they are removed.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<agents>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An agent: its state, clock, lateness and load
         * @description An agent: its state, clock, lateness and load.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<agent>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getAgent"];
        /**
         * Changes an agent: what is absent stays
         * @description Checks and events show a new name too, those of the past included. A move ends the session of the agent; it connects again within seconds and checks devices of the new Location. A check counts for the Location that the agent had when the check started, even if its result arrives after the move.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<agent>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateAgent"];
        post?: never;
        /**
         * Revokes an agent; removes it when it is revoked already or Expired
         * @description The stream of a revoked agent is cut within 5 s, its token is refused from then on, and other agents of its Location check its devices. A second DELETE removes the agent from the lists. Checks and events go on to show its name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<agent>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["revokeAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invites an agent: makes it, and a line that installs it on a host
         * @description The line works as it stands on a host that reaches the port of the agents only. Its token is good for one agent and for 15 minutes. 1005 says which setting the controller needs so that agents can come in.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<invitation>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["inviteAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upgrades an agent to another version
         * @description The agent downloads the parcel, verifies that the release key signed it, and starts it. It goes back to its present version by itself when the new one does not connect and report within two minutes. `Upgrade` of the agent shows how far it is. 1005 says why the agent cannot run the version.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<agent>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["upgradeAgent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists contacts by name
         * @description Lists contacts by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contacts>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listContacts"];
        put?: never;
        /**
         * Creates a contact: where notifications go
         * @description It gets messages when a notification schedule names it. Webhooks to private or loopback addresses, and by plain HTTP, need the permission of the operator.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A contact without its secrets
         * @description A contact without its secrets.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getContact"];
        /**
         * Changes a contact: what is absent stays
         * @description A new Secret signs at once, the old one no longer. To keep the old one for 24 hours, rotate it instead.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateContact"];
        post?: never;
        /**
         * Deletes a contact that no notification schedule names
         * @description 1005 names the schedules that are in the way.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test message to a contact now, and answers what its receiver said
         * @description One attempt is made, whatever Notify says. Delivered is false when it failed.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["testContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret, which this answer alone shows
         * @description For 24 hours messages carry the signatures of both secrets, so that the receiver can change its own at any time within them. A second rotation ends the secret before the first one.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<contact>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["rotateContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages to a contact, newest first, with each attempt and its answer
         * @description Messages to a contact, newest first, with each attempt and its answer.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<deliveries>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listContactDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contacts/{contact_id}/deliveries/{delivery_id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message again, as a new delivery
         * @description Only of a delivery that was Delivered or Failed. The new one has an id of its own, so receivers take it as a new message.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<delivery>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["repeatContactDeliverie"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nschedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Who is notified when, by a schedule that need not be stored
         * @description For an alert that lasts 7 days and that nobody acknowledges: at most 200 messages. Nobody is notified.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<messages>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        post: operations["previewNschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nschedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists notification schedules by name
         * @description Lists notification schedules by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<nschedules>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listNschedules"];
        put?: never;
        /**
         * Creates a notification schedule: who is notified, when and how often
         * @description Devices, Locations and the account name it as their nschedule_id. A device that names none uses the one of the account.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<nschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createNschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nschedules/{nschedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A notification schedule
         * @description A notification schedule.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<nschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getNschedule"];
        /**
         * Changes a notification schedule: what is absent stays
         * @description Steps are replaced whole.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<nschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateNschedule"];
        post?: never;
        /**
         * Deletes a notification schedule that nothing uses
         * @description 1005 names the devices and Locations that use it, and the account.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<nschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteNschedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mschedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists maintenance schedules by name
         * @description Lists maintenance schedules by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<mschedules>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listMschedules"];
        put?: never;
        /**
         * Creates a maintenance schedule: maintenance windows that recur
         * @description Devices name it as their mschedule_id. `GET /mschedules/{mschedule_id}/preview` shows the windows.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<mschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createMschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mschedules/{mschedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A maintenance schedule
         * @description A maintenance schedule.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<mschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getMschedule"];
        /**
         * Changes a maintenance schedule: what is absent stays
         * @description Changes a maintenance schedule: what is absent stays.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<mschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateMschedule"];
        post?: never;
        /**
         * Deletes a maintenance schedule that no device uses
         * @description 1005 names the devices that use it.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<mschedule>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteMschedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mschedules/{mschedule_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The next ten windows of a maintenance schedule
         * @description Besides the windows, the answer has the times between them that the clocks skip: there is no window then. Note says what a change of the clocks does.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<windows>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["previewMschedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mschedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next ten windows of a maintenance schedule that is not stored
         * @description Besides the windows, the answer has the times between them that the clocks skip: there is no window then. Note says what a change of the clocks does.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<windows>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        post: operations["previewNewMschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists secrets by name, without their values
         * @description Lists secrets by name, without their values.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<secrets>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listSecrets"];
        put?: never;
        /**
         * Keeps a secret
         * @description Keeps a secret.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<secret>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        post: operations["createSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/secrets/{secret_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A secret without its value
         * @description A secret without its value.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<secret>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getSecret"];
        /**
         * Gives a secret another value; its name stays
         * @description Gives a secret another value; its name stays.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<secret>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        put: operations["updateSecret"];
        post?: never;
        /**
         * Deletes a secret. Refused while devices refer to it
         * @description Deletes a secret. Refused while devices refer to it.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<secret>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UW or UA may do this.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Acknowledges many alerts: those that are named, or all that a Filter leaves
         * @description Each as PUT /alerts/{alert_id}/acknowledge does. A Filter that leaves more than 10000 alerts is 1004.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alerts>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["updateAcknowledge"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Snoozes many alerts: those that are named, or all that a Filter leaves
         * @description Each as PUT /alerts/{alert_id}/snooze does. A Filter that leaves more than 10000 alerts is 1004.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alerts>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["updateSnooze"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists alerts, those that opened last first
         * @description An alert is a decision to notify people of an outage. It stays in the list when it is closed. Without a notification schedule it exists too, with no messages.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alerts>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{alert_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An alert with its messages
         * @description An alert with its messages.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alert>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{alert_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Acknowledges an alert: no repeats and no further steps
         * @description Whoever was notified of the outage is still notified of its end. A new outage is a new alert. A closed alert is 1005.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alert>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["acknowledgeAlert"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{alert_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Snoozes an alert: what it would send meanwhile is sent at the end
         * @description A second snooze replaces the first one. A closed alert is 1005.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<alert>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UO, UW or UA may do this.
         */
        put: operations["snoozeAlert"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the keys that are not revoked, newest first
         * @description Lists the keys that are not revoked, newest first.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<keys>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     A key of the level UA may do this.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issues a key; the answer shows it, once
         * @description Nobody can give a higher level than their own, a later end, or other devices. The key stays when the key that issued it ends.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<key>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A key, without the key itself
         * @description A key, without the key itself.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<key>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        get: operations["getKey"];
        /**
         * Changes a key: its name, its level, its tags, its end
         * @description Its sessions change with it. Every controller knows of it within 5 seconds.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<key>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        put: operations["updateKey"];
        post?: never;
        /**
         * Revokes a key. Its sessions end, and every controller refuses it within 5 seconds
         * @description Revokes a key. Its sessions end, and every controller refuses it within 5 seconds.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<key>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the people of the account by name
         * @description Lists the people of the account by name.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<users>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     A key of the level UA may do this.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Invites a person; the answer has the link of the invitation, once
         * @description The controller sends no message: give the link to the person yourself.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<user>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A person of the account
         * @description A person of the account.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<user>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        get: operations["getUser"];
        /**
         * Changes a person: the name, the e-mail address, the level, the tags
         * @description Sessions change with it. Every controller knows of it within 5 seconds.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<user>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Deletes a person, whose sessions end
         * @description Deletes a person, whose sessions end.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<user>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invites a person again, for example one who forgot the password
         * @description The link before is over. A password that the person has stays good until the new invitation is accepted; then all sessions of the person end.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<user>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     A key of the level UA may do this.
         */
        post: operations["inviteUserAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The session whose cookie the request carries
         * @description The session whose cookie the request carries.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<session>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Signs in with a key, or with e-mail and password; the answer sets the cookie of the session
         * @description Behind a proxy that signs people in (VANTAGE_SIGN_IN_HEADER) an empty body signs in whom the proxy names. For web pages of this controller: the cookie is HttpOnly, Secure and SameSite=Strict. A session that the request carries already ends. Programs send their key with each request instead.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<session>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Works without a key.
         */
        post: operations["signIn"];
        /**
         * Signs out: the session and its cookie end
         * @description Signs out: the session and its cookie end.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<session>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the password of the person who is signed in. All other sessions of the person end
         * @description Changes the password of the person who is signed in. All other sessions of the person end.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<session>`, with `fmt=csv` it is `text/csv` with one row.
         *
         *     Any key of the account may do this.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what, newest first
         * @description Every change of the account, its keys, Locations, agents, devices, tags, secrets, contacts and schedules, by the API or the command line. An entry is written in the transaction of its change, and stays when the thing is deleted. No entry has a secret. Sign-ins that were refused have the Action Refuse, with the reason in Changes; of those from one address there is at most one entry a minute, with their number in Attempts.
         *
         *     With `fmt=xml` the answer is `application/xml` with the element `<audit>`, with `fmt=csv` it is `text/csv` with a row for each.
         *
         *     Any key of the account may do this.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Does up to 1,000 requests in one
         * @description The operations are done one after the other. Each is judged like a request of its own (route, level of the key, query, id, body), and its `Status` and `Body` are what that request would be answered with. The answer of the batch is 200 also where operations failed.
         *
         *     With `"Atomic": true` all operations are one transaction: later ones find what earlier ones wrote, others find nothing of it before the end. Where one fails, nothing is done, the operations after it are not tried, and the answer is 400 with code 1005 and the `Results` up to that one. Requests that wait for others (a check on request, a test of a contact) cannot be in it.
         *
         *     An operation has no headers: no Idempotency-Key, no other form than JSON; `IfMatch` stands for If-Match. A batch cannot hold a batch or a stream of events. The body has at most 4 MiB, the results together about 4 MiB. Operations that have not begun after 60 seconds or over these bytes are not done; their `Status` is 429. An atomic batch that is not done within 20 seconds is rolled back.
         *
         *     With the header Idempotency-Key, a repetition does only what was not done before.
         *
         *     Any key of the account may do this.
         */
        post: operations["runBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The OpenAPI 3.1 document of this interface
         * @description The OpenAPI 3.1 document of this interface.
         *
         *     Works without a key.
         */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Options of Method HTTP. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "ExpectText": "Welcome",
         *       "MaxTimeMs": 2000,
         *       "Headers": {
         *         "Accept-Language": "en"
         *       }
         *     }
         */
        OptionsHTTP: {
            /**
             * @description Request method. Default: "GET".
             * @enum {string}
             */
            Method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * @description Request headers; Host names a virtual host.
             * @example {
             *       "Accept-Language": "en"
             *     }
             */
            Headers?: {
                [key: string]: string;
            };
            /**
             * @description Request body.
             * @example {"query":"ping"}
             */
            Body?: string;
            /**
             * @description User for Basic authentication; default: the URL's.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password for Basic authentication.
             * @example a password
             */
            Password?: string;
            /**
             * @description Redirects to follow; 0: the redirect is the answer. Default: 10.
             * @example 3
             */
            MaxRedirects?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description Proxy to go through: http://user:password@host:port.
             * @example http://proxy.example.com:3128
             */
            Proxy?: string;
            /**
             * @description Auto: what the server prefers (ALPN); plain http is 1.1. Default: "Auto".
             * @enum {string}
             */
            HTTPVersion?: "2" | "Auto" | "1.1";
            /**
             * @description Statuses that are good; default: all below 400.
             * @example [
             *       "200",
             *       "300-399"
             *     ]
             */
            ExpectStatus?: string[];
            /**
             * @description Text that the body must contain.
             * @example Welcome
             */
            ExpectText?: string;
            /**
             * @description Text that the body must not contain.
             * @example maintenance
             */
            RejectText?: string;
            /**
             * @description Regular expression that the body (its first MiB) must match.
             * @example version [0-9]+
             */
            ExpectRegex?: string;
            /**
             * @description JSONPath that must find something in the body: names, ['names'], [0], [1:3], * and .., no filters.
             * @example $.status
             */
            ExpectJSONPath?: string;
            /**
             * @description What ExpectJSONPath must find at least once, as text or JSON.
             * @example ok
             */
            ExpectJSONValue?: string;
            /**
             * @description Headers of the answer and the text each must contain ("" for any).
             * @example {
             *       "Content-Type": "text/html"
             *     }
             */
            ExpectHeaders?: {
                [key: string]: string;
            };
            /**
             * @description A check that takes longer fails.
             * @example 2000
             */
            MaxTimeMs?: number;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Least bytes of the body, decompressed.
             * @example 100
             */
            MinSize?: number;
            /**
             * @description Most bytes of the body, decompressed; more are not read and fail the check. Default: 16777216.
             * @example 1048576
             */
            MaxSize?: number;
            /**
             * @description SHA-256 of the body, decompressed.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            ExpectSHA256?: string;
            /** @description Offer to take a compressed body (gzip, deflate, br, zstd). Default: true. */
            Compression?: boolean;
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description Whether TLS is spoken; default by the scheme.
                 * @enum {string}
                 */
                Mode?: "None" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
        };
        /**
         * @description Options of Method PING. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Count": 5,
         *       "MaxLossPercent": 20
         *     }
         */
        OptionsPING: {
            /**
             * @description Packets to send. Default: 3.
             * @example 3
             */
            Count?: number;
            /**
             * @description Bytes of payload in each packet. Default: 56.
             * @example 56
             */
            Size?: number;
            /**
             * @description Milliseconds from one packet to the next; less where the timeout would cut the last ones off. Default: 200.
             * @example 200
             */
            IntervalMs?: number;
            /**
             * @description More loss than this is a failed expectation; default: one answer is enough.
             * @example 20
             */
            MaxLossPercent?: number;
            /**
             * @description A longer mean round-trip time than this is a failed expectation.
             * @example 100
             */
            MaxRTTMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Time to live (hop limit) of the packets; default: the system's own.
             * @example 64
             */
            TTL?: number;
        };
        /**
         * @description Options of Method SMTP. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "TLS": {
         *         "Mode": "StartTLS",
         *         "MinDaysLeft": 14
         *       }
         *     }
         */
        OptionsSMTP: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that the server's greeting must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description How to log in; Auto takes CRAM-MD5 first on a connection in clear, PLAIN first under TLS. Default: "Auto".
             * @example Auto
             * @enum {string}
             */
            Auth?: "Auto" | "PLAIN" | "LOGIN" | "CRAM-MD5";
            /**
             * @description Name to greet with; default: this agent's address as a literal, `[192.0.2.1]`.
             * @example monitor.example.com
             */
            Helo?: string & (unknown & unknown);
            /**
             * @description Sender that must be accepted (MAIL FROM). Nothing is ever sent.
             * @example monitor@example.com
             */
            MailFrom?: string & (unknown & unknown);
            /**
             * @description Recipient that must be accepted (RCPT TO), from MailFrom or the empty sender. Nothing is ever sent.
             * @example postmaster@example.com
             */
            RcptTo?: string & (unknown & unknown);
        };
        /**
         * @description Options of Method POP3. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "ExpectBanner": "ready"
         *     }
         */
        OptionsPOP3: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that the server's greeting must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description How to log in; Auto takes APOP on a connection in clear where the server offers it, else USER and PASS. Default: "Auto".
             * @example Auto
             * @enum {string}
             */
            Auth?: "Auto" | "USER" | "APOP";
        };
        /**
         * @description Options of Method MySQL. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Query": "select count(*) from orders",
         *       "Password": "a password"
         *     }
         */
        OptionsMySQL: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Database to use; default: the one in the URL, else none.
             * @example shop
             */
            Database?: string;
            /**
             * @description Query to run after the login.
             * @example select count(*) from orders
             */
            Query?: string;
            /**
             * @description The first row's first value must be this, or the whole first row with tabs between its values (NULL is NULL).
             * @example 1
             */
            ExpectResult?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
        };
        /**
         * @description Options of Method IMAP4. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "User": "monitor",
         *       "Password": "a password",
         *       "Mailbox": "INBOX"
         *     }
         */
        OptionsIMAP4: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that the server's greeting must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description How to log in; Auto takes LOGIN unless the server disables it, then AUTHENTICATE PLAIN. Default: "Auto".
             * @example Auto
             * @enum {string}
             */
            Auth?: "Auto" | "LOGIN" | "PLAIN";
            /**
             * @description Mailbox that must open, read-only (EXAMINE), `INBOX` for one.
             * @example INBOX
             */
            Mailbox?: string;
        };
        /**
         * @description Options of Method FTP. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Directory": "/pub",
         *       "List": true
         *     }
         */
        OptionsFTP: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that the server's greeting must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description Directory that must be there (CWD).
             * @example /pub
             */
            Directory?: string;
            /** @description Must the directory be listable (EPSV or PASV, then LIST)? Default: false. */
            List?: boolean;
            /**
             * @description Name that the listing must hold; implies List.
             * @example README
             */
            ExpectEntry?: string;
        };
        /**
         * @description Options of Method TELNET. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "ExpectPrompt": "login:"
         *     }
         */
        OptionsTELNET: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description Whether TLS is spoken; default by the scheme.
                 * @enum {string}
                 */
                Mode?: "None" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that must appear before or at the first prompt.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description Text that asks for the user name; default: `login:`, `username:` and their like.
             * @example login:
             */
            LoginPrompt?: string;
            /**
             * @description Text that asks for the password; default: `password:` and its like.
             * @example password:
             */
            PasswordPrompt?: string;
            /**
             * @description Text that must appear at last (after the login, if there is one); default after a login: a line that ends in $, #, > or %.
             * @example login:
             */
            ExpectPrompt?: string;
        };
        /**
         * @description Options of Method SSH. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "ExpectBanner": "OpenSSH"
         *     }
         */
        OptionsSSH: {
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * Format: password
             * @description Private key to log in with (OpenSSH or PEM).
             * @example -----BEGIN OPENSSH PRIVATE KEY-----
             *     b3Bl…
             */
            PrivateKey?: string;
            /**
             * Format: password
             * @description Passphrase of the private key.
             * @example a passphrase
             */
            Passphrase?: string;
            /**
             * @description The server's host key must have this fingerprint; nothing secret is sent otherwise.
             * @example SHA256:uNiVztksCsDhcc0u9e8BrQxSiZVvX1A3mQIf7GmLkPA
             */
            HostKeyFingerprint?: string;
            /**
             * @description Command to run after the login; its input is empty.
             * @example systemctl is-active nginx
             */
            Command?: string;
            /**
             * @description Text that the command's output must contain (its first 64 KiB).
             * @example active
             */
            ExpectOutput?: string;
            /**
             * @description The command's exit code; default: 0, where the server sends one.
             * @example 0
             */
            ExpectExitCode?: number;
            /**
             * @description Text that the server's version line must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
        };
        /**
         * @description Options of Method NNTP. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Group": "comp.lang.c"
         *     }
         */
        OptionsNNTP: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None.
                 * @enum {string}
                 */
                Mode?: "None" | "StartTLS" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description User name to log in with; default: the one in the URL, else no login.
             * @example monitor
             */
            User?: string;
            /**
             * Format: password
             * @description Password to log in with; default: the one in the URL.
             * @example a password
             */
            Password?: string;
            /**
             * @description Text that the server's greeting must contain.
             * @example ready
             */
            ExpectBanner?: string;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
            /**
             * @description Newsgroup that must exist (GROUP).
             * @example comp.lang.c
             */
            Group?: string & (unknown & unknown);
        };
        /**
         * @description Options of Method TCP. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Steps": [
         *         {
         *           "Send": "PING\r\n",
         *           "Expect": "+PONG"
         *         }
         *       ]
         *     }
         */
        OptionsTCP: {
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description Whether TLS is spoken; default by the scheme.
                 * @enum {string}
                 */
                Mode?: "None" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description The dialogue after the connect: each step sends, then expects.
             * @example [
             *       {
             *         "Send": "PING\r\n",
             *         "Expect": "+PONG"
             *       }
             *     ]
             */
            Steps?: {
                /**
                 * @description Text to send, as it stands (a line needs its own \r\n).
                 * @example PING
                 */
                Send?: string;
                /**
                 * @description Bytes to send, hexadecimal.
                 * @example 50494e470d0a
                 */
                SendHex?: string;
                /**
                 * @description Text that the answer must contain.
                 * @example +PONG
                 */
                Expect?: string;
                /**
                 * @description Bytes that the answer must contain, hexadecimal.
                 * @example 2b504f4e47
                 */
                ExpectHex?: string;
                /**
                 * @description Regular expression that the answer must match.
                 * @example version [0-9]+
                 */
                ExpectRegex?: string;
            }[];
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
        };
        /**
         * @description Options of Method DNS. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "Expect": [
         *         "192.0.2.80"
         *       ]
         *     }
         */
        OptionsDNS: {
            /**
             * @description Server to ask; default: the URL's, else the agent's resolvers.
             * @example 192.0.2.53
             */
            Server?: string;
            /**
             * @description Record type; default: the URL's ?type=, else A.
             * @example A
             * @enum {string}
             */
            Type?: "A" | "AAAA" | "MX" | "TXT" | "NS" | "SOA" | "SRV" | "PTR" | "CAA" | "DNSKEY" | "CNAME";
            /**
             * @description The records expected, as zone files write them, in any order: exactly these.
             * @example [
             *       "192.0.2.80"
             *     ]
             */
            Expect?: string[];
            /**
             * @description UDP asks again over TCP when truncated. Default: "UDP".
             * @enum {string}
             */
            Transport?: "UDP" | "TCP" | "TLS";
            /**
             * @description TLS settings.
             * @example {
             *       "Verify": true,
             *       "MinDaysLeft": 14
             *     }
             */
            TLS?: {
                /**
                 * @description Whether TLS is spoken; default by the scheme.
                 * @enum {string}
                 */
                Mode?: "None" | "Implicit";
                /** @description Refuse a certificate that is not valid for the server's name. Default: true. */
                Verify?: boolean;
                /**
                 * @description Authorities to trust instead of the system's, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                CA?: string;
                /**
                 * @description Client certificate with its chain, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     MIIB…
                 *     -----END CERTIFICATE-----
                 */
                ClientCert?: string;
                /**
                 * Format: password
                 * @description Private key of the client certificate, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     MIIE…
                 *     -----END PRIVATE KEY-----
                 */
                ClientKey?: string;
                /**
                 * @description Name asked for (SNI) and expected in the certificate; default: the host.
                 * @example www.example.com
                 */
                ServerName?: string;
                /**
                 * @description The certificate must be valid for at least this many days. Default: 0.
                 * @example 14
                 */
                MinDaysLeft?: number;
            };
            /**
             * @description Response code expected; default NOERROR with at least one record.
             * @example NXDOMAIN
             */
            ExpectRcode?: string;
            /**
             * @description Servers whose SOA serial of this zone must be the same.
             * @example [
             *       "192.0.2.54"
             *     ]
             */
            CompareSOAWith?: string[];
            /** @description Ask for recursion. Default: true. */
            Recursion?: boolean;
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
            /**
             * @description Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. Default: "Any".
             * @example Any
             * @enum {string}
             */
            IPFamily?: "4" | "6" | "Any";
        };
        /**
         * @description Options of Method Script. All may be absent; a name that is not listed is refused with code 1004.
         * @example {
         *       "SlowMs": 5000
         *     }
         */
        OptionsScript: {
            /**
             * @description A good check that takes longer than this many milliseconds is Slow.
             * @example 1000
             */
            SlowMs?: number;
        };
        /**
         * @description The settings of a device, and the Location that tries them.
         * @example {
         *       "Method": "HTTP",
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "Location": "local"
         *     }
         */
        CheckTrial: {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            /**
             * @description URL, host name or custom script to monitor; what is accepted depends on Method. A password comes back as `***`.
             * @example https://www.example.com/
             */
            URL: string;
            /**
             * @description Up to 8 characters: letters, digits or '-'. Need not be unique.
             * @example web-1
             */
            ShortName?: string;
            /**
             * @description Description, one line; null: none.
             * @example Web shop, front page
             */
            FullName?: string | null;
            /**
             * @description Minutes between checks; default 5.
             * @example 5
             */
            Frequency?: (1 | 2 | 5 | 10 | 20 | 30 | 60) | null;
            /**
             * @description Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. Where both are sent, the one that differs from what is shown counts.
             * @example null
             */
            FrequencySeconds?: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description Seconds to wait for a response; default 30.
             * @example 30
             */
            Timeout?: number | null;
            /**
             * @description Retries after an error before alerting; default 2.
             * @example 2
             */
            Retries?: number | null;
            /**
             * @description Failing checks until the device is Down, the first one included; null: Retries + 1. Where both are sent, the one that differs from what is shown counts.
             * @example 3
             */
            Attempts?: number | null;
            /**
             * @description Seconds before a retry; default 1.
             * @example 1
             */
            RetryDelay?: number | null;
            /**
             * @description Notification schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Maintenance schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id?: string | null;
            /**
             * @description Master device: when it is down already, alerts for this one are suppressed. Its id, or key: and its ExternalKey; null: none.
             * @example null
             */
            device_master_id?: string | null;
            /**
             * @description Names or ids; null: the account's DefaultLocations; []: none.
             * @example [
             *       "local"
             *     ]
             */
            Locations?: string[] | null;
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsHTTP"] | components["schemas"]["OptionsPING"] | components["schemas"]["OptionsSMTP"] | components["schemas"]["OptionsPOP3"] | components["schemas"]["OptionsMySQL"] | components["schemas"]["OptionsIMAP4"] | components["schemas"]["OptionsFTP"] | components["schemas"]["OptionsTELNET"] | components["schemas"]["OptionsSSH"] | components["schemas"]["OptionsNNTP"] | components["schemas"]["OptionsTCP"] | components["schemas"]["OptionsDNS"] | components["schemas"]["OptionsScript"] | null;
            /**
             * @description The whole set of its tags: names, ids, or the objects that a GET returns; null: none.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description false pauses the device: it is not checked, its Status is Unknown, nobody is notified; default true.
             * @example true
             */
            Enabled?: boolean | null;
            /**
             * @description How bad an outage of it is; steps of notification schedules choose by it. Default critical.
             * @example critical
             */
            Severity?: ("critical" | "warning" | "info") | null;
            /**
             * @description Older name of Options.Headers (Method HTTP): {} changes nothing, null clears the headers. Where both names are sent, the one that differs from the stored headers counts.
             * @example {
             *       "headers": {
             *         "Accept-Language": "en"
             *       }
             *     }
             */
            HostData?: {
                /**
                 * @description HTTP request headers by name.
                 * @example {
                 *       "Accept-Language": "en"
                 *     }
                 */
                headers?: {
                    [key: string]: string;
                };
            } | null;
            /**
             * @description The Location from which it is checked, by name or id; absent: the first of the account's DefaultLocations.
             * @example local
             */
            Location?: string;
        };
        /**
         * @description A device to create, by its Method.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "HTTP",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        DeviceCreate: components["schemas"]["DeviceCreateHTTP"] | components["schemas"]["DeviceCreatePING"] | components["schemas"]["DeviceCreateSMTP"] | components["schemas"]["DeviceCreatePOP3"] | components["schemas"]["DeviceCreateMySQL"] | components["schemas"]["DeviceCreateIMAP4"] | components["schemas"]["DeviceCreateFTP"] | components["schemas"]["DeviceCreateTELNET"] | components["schemas"]["DeviceCreateSSH"] | components["schemas"]["DeviceCreateNNTP"] | components["schemas"]["DeviceCreateTCP"] | components["schemas"]["DeviceCreateDNS"] | components["schemas"]["DeviceCreateScript"];
        /**
         * @description Changed settings of a device, by its Method.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "HTTP",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        DeviceUpdate: components["schemas"]["DeviceUpdateHTTP"] | components["schemas"]["DeviceUpdatePING"] | components["schemas"]["DeviceUpdateSMTP"] | components["schemas"]["DeviceUpdatePOP3"] | components["schemas"]["DeviceUpdateMySQL"] | components["schemas"]["DeviceUpdateIMAP4"] | components["schemas"]["DeviceUpdateFTP"] | components["schemas"]["DeviceUpdateTELNET"] | components["schemas"]["DeviceUpdateSSH"] | components["schemas"]["DeviceUpdateNNTP"] | components["schemas"]["DeviceUpdateTCP"] | components["schemas"]["DeviceUpdateDNS"] | components["schemas"]["DeviceUpdateScript"];
        /**
         * @description A change of many devices.
         * @example {
         *       "Filter": {
         *         "Tag": "lab"
         *       },
         *       "Set": {
         *         "Severity": "info"
         *       }
         *     }
         */
        BulkChange: {
            /**
             * @description The devices that are meant.
             * @example Down
             */
            Filter: components["schemas"]["BulkChangeFilter"];
            /** @description What they get; null sets the default, as in PUT /devices/{device_id}. */
            Set?: components["schemas"]["BulkChangeSettings"];
            /**
             * @description Names or ids of tags that they get.
             * @example [
             *       "berlin"
             *     ]
             */
            AddTags?: string[];
            /**
             * @description Names or ids of tags that they lose.
             * @example [
             *       "lab"
             *     ]
             */
            RemoveTags?: string[];
            /** @description Starts maintenance of each; null ends what runs. */
            Maintenance?: components["schemas"]["MaintenanceStart"] | null;
            /**
             * @description true deletes them; nothing else is sent then.
             * @default false
             */
            Delete: boolean;
            /** @description true: nothing is changed, and the answer has a Token. Without a Token it is always so. */
            Preview?: boolean;
            /**
             * @description Of the preview: does what was previewed.
             * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
             */
            Token?: string;
        };
        /**
         * @description All parts that are sent must hold; {}: all devices.
         * @example {
         *       "Tag": "lab"
         *     }
         */
        BulkChangeFilter: {
            /**
             * @description Ids: these devices only, at most 1000.
             * @example [
             *       "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d"
             *     ]
             */
            Devices?: string[];
            /**
             * @description Devices with this Status only.
             * @enum {string}
             */
            Status?: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description A part of ShortName, FullName or URL, in any letter case.
             * @example shop
             */
            Search?: string;
            /**
             * @description Name or id of a tag: its devices only.
             * @example shop
             */
            Tag?: string;
            /**
             * @description Devices of this Method only.
             * @enum {string}
             */
            Method?: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            /**
             * @description Name or id of a Location: the devices that are checked from there only.
             * @example local
             */
            Location?: string;
            /**
             * @description critical, warning or info, joined by commas: devices with one of these only.
             * @example critical,warning
             */
            Severity?: string;
            /**
             * @description Id of a device: those behind it only.
             * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
             */
            device_master_id?: string;
            /**
             * @description Id of a notification schedule: the devices that use it only.
             * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
             */
            nschedule_id?: string;
            /**
             * @description Id of a maintenance schedule: the devices that use it only.
             * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
             */
            mschedule_id?: string;
            /**
             * @description false: paused devices only; true: all others.
             * @example true
             */
            Enabled?: boolean;
            /**
             * @description true: devices in a retry sequence only; false: all others.
             * @example false
             */
            Retrying?: boolean;
        };
        /**
         * @description Settings that many devices can share.
         * @example {
         *       "Severity": "info"
         *     }
         */
        BulkChangeSettings: {
            /**
             * @description Minutes between checks; default 5.
             * @example 5
             */
            Frequency?: (1 | 2 | 5 | 10 | 20 | 30 | 60) | null;
            /**
             * @description Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. Where both are sent, the one that differs from what is shown counts.
             * @example null
             */
            FrequencySeconds?: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description Seconds to wait for a response; default 30.
             * @example 30
             */
            Timeout?: number | null;
            /**
             * @description Retries after an error before alerting; default 2.
             * @example 2
             */
            Retries?: number | null;
            /**
             * @description Failing checks until the device is Down, the first one included; null: Retries + 1. Where both are sent, the one that differs from what is shown counts.
             * @example 3
             */
            Attempts?: number | null;
            /**
             * @description Seconds before a retry; default 1.
             * @example 1
             */
            RetryDelay?: number | null;
            /**
             * @description false pauses the device: it is not checked, its Status is Unknown, nobody is notified; default true.
             * @example true
             */
            Enabled?: boolean | null;
            /**
             * @description How bad an outage of it is; steps of notification schedules choose by it. Default critical.
             * @example critical
             */
            Severity?: ("critical" | "warning" | "info") | null;
            /**
             * @description Notification schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Maintenance schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id?: string | null;
            /**
             * @description Master device: when it is down already, alerts for this one are suppressed. Its id, or key: and its ExternalKey; null: none.
             * @example null
             */
            device_master_id?: string | null;
            /**
             * @description Names or ids; null: the account's DefaultLocations; []: none.
             * @example [
             *       "local"
             *     ]
             */
            Locations?: string[] | null;
        };
        /**
         * @description How long the maintenance lasts.
         * @example {
         *       "Duration": "01:30",
         *       "Reason": "Kernel update",
         *       "Start": "2026-03-01T02:00:00+01:00"
         *     }
         */
        MaintenanceStart: {
            /**
             * @description HH:MM, elapsed time; null: the default.
             * @default 01:00
             * @example 01:30
             */
            Duration: string | null;
            /**
             * @description Why, for people: it stands in the event. null: none.
             * @example Kernel update
             */
            Reason?: string | null;
            /**
             * @description When it begins: a timestamp up to a year ahead; null: now. It replaces a window that has not begun.
             * @example 2026-03-01T02:00:00+01:00
             */
            Start?: string | null;
        };
        /**
         * @description What people say about an outage.
         * @example {
         *       "Note": "power of rack 3, see the post-mortem",
         *       "Excluded": true
         *     }
         */
        OutageUpdate: {
            /**
             * @description What people say about it, one line; null: nothing.
             * @example power of rack 3, see the post-mortem
             */
            Note?: string | null;
            /** @description Uptime leaves the outage out, and says so in ExcludedSeconds and ExcludedOutages. */
            Excluded?: boolean;
            /**
             * @description Id of the outage.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly outage_id?: components["schemas"]["Id"];
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly device_id?: components["schemas"]["Id"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            readonly ShortName?: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            readonly FullName?: string | null;
            /**
             * @description The first error of the failure, or the end of the maintenance that it fell into.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly Start?: components["schemas"]["Timestamp"];
            /**
             * @description The check that found the device Up again; null while the outage is open.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly End?: components["schemas"]["Timestamp"] | null;
            /**
             * @description From Start to End, or to now.
             * @example 312
             */
            readonly Seconds?: number;
            /**
             * @description Location of the first error.
             * @example local
             */
            readonly Location?: string | null;
            /**
             * @description Names of the Locations of its first error, of the check that confirmed it, and of Partial.
             * @example [
             *       "local"
             *     ]
             */
            readonly Locations?: string[];
            /**
             * @description Result of the first error; null where its event is not known.
             * @example connection refused by 192.0.2.10:443
             */
            readonly CheckResult?: string | null;
            /**
             * @description The check of the first error; checks are kept for a shorter time than outages.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly check_id?: components["schemas"]["Id"] | null;
            /**
             * @description Its latest alert; null: it has none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly alert_id?: components["schemas"]["Id"] | null;
            /**
             * @description Somebody acknowledged the alert of this outage.
             * @example false
             */
            readonly Acknowledged?: boolean;
            /**
             * @description Devices that are reached through this one (its device_master_id chain) and were Down with it.
             * @example 0
             */
            readonly Behind?: number;
        };
        /**
         * @description A tag to create.
         * @example {
         *       "Name": "shop",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        TagCreate: {
            /**
             * @description Name of the tag, unique in the account without regard to letter case.
             * @example shop
             */
            Name: string;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
        };
        /**
         * @description Another name for a tag.
         * @example {
         *       "Name": "shop",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        TagUpdate: {
            /**
             * @description Name of the tag, unique in the account without regard to letter case.
             * @example shop
             */
            Name?: string;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Id of the tag.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly tag_id?: components["schemas"]["Id"];
            /** @description All devices of the tag. */
            readonly Devices?: components["schemas"]["DeviceEntry"][];
        };
        /**
         * @description Changed settings of the account; what is absent stays.
         * @example {
         *       "Timezone": "Europe/Berlin",
         *       "DefaultLocations": [
         *         "local"
         *       ],
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *     }
         */
        AccountUpdate: {
            /**
             * @description IANA name of the time zone.
             * @example Europe/Berlin
             */
            Timezone?: string;
            /**
             * @description Names or ids; null: the Location named local.
             * @example [
             *       "local"
             *     ]
             */
            DefaultLocations?: string[] | null;
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Id of the account.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly account_id?: components["schemas"]["Id"];
            /**
             * @description Read-only; the operator's.
             * @example local
             */
            readonly Name?: string;
            /**
             * @description How long raw checks are kept; the operator's setting.
             * @example 90
             */
            readonly RetentionDays?: number;
        };
        /**
         * @description A Location to create.
         * @example {
         *       "Name": "Oslo",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "PublicTargetsOnly": false,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Anchors": [
         *         {
         *           "Name": "gateway",
         *           "Target": "192.0.2.1",
         *           "Networks": [
         *             "198.51.100.0/24"
         *           ]
         *         }
         *       ]
         *     }
         */
        LocationCreate: {
            /**
             * @description Name, one line; unique in the account. History shows a new name too.
             * @example Oslo
             */
            Name: string;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Devices with private addresses cannot be checked from here; default false.
             * @example false
             */
            PublicTargetsOnly?: boolean;
            /**
             * @description Notification schedule of the alert that it is offline: its id, or key: and its ExternalKey; null: the account's.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Hosts on the way to the devices, near to far; null or []: none.
             * @example [
             *       {
             *         "Name": "gateway",
             *         "Target": "192.0.2.1",
             *         "Networks": [
             *           "198.51.100.0/24"
             *         ]
             *       }
             *     ]
             */
            Anchors?: {
                /**
                 * @description Name for people; unique at the Location.
                 * @example gateway
                 */
                Name: string;
                /**
                 * @description An IP address (PING), or an IP address and a port (TCP connection).
                 * @example 192.0.2.1
                 */
                Target: string;
                /**
                 * @description Networks that lie behind it, in CIDR form; absent, null or []: everything outside of the agents' own subnets. The longest prefix decides between anchors.
                 * @example [
                 *       "198.51.100.0/24"
                 *     ]
                 */
                Networks?: string[] | null;
            }[] | null;
        };
        /**
         * @description Changed settings of a Location; what is absent stays.
         * @example {
         *       "Name": "Oslo",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "PublicTargetsOnly": false,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Anchors": [
         *         {
         *           "Name": "gateway",
         *           "Target": "192.0.2.1",
         *           "Networks": [
         *             "198.51.100.0/24"
         *           ]
         *         }
         *       ]
         *     }
         */
        LocationUpdate: {
            /**
             * @description Name, one line; unique in the account. History shows a new name too.
             * @example Oslo
             */
            Name?: string;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Devices with private addresses cannot be checked from here; default false.
             * @example false
             */
            PublicTargetsOnly?: boolean;
            /**
             * @description Notification schedule of the alert that it is offline: its id, or key: and its ExternalKey; null: the account's.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Hosts on the way to the devices, near to far; null or []: none.
             * @example [
             *       {
             *         "Name": "gateway",
             *         "Target": "192.0.2.1",
             *         "Networks": [
             *           "198.51.100.0/24"
             *         ]
             *       }
             *     ]
             */
            Anchors?: {
                /**
                 * @description Name for people; unique at the Location.
                 * @example gateway
                 */
                Name: string;
                /**
                 * @description An IP address (PING), or an IP address and a port (TCP connection).
                 * @example 192.0.2.1
                 */
                Target: string;
                /**
                 * @description Networks that lie behind it, in CIDR form; absent, null or []: everything outside of the agents' own subnets. The longest prefix decides between anchors.
                 * @example [
                 *       "198.51.100.0/24"
                 *     ]
                 */
                Networks?: string[] | null;
            }[] | null;
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly location_id?: components["schemas"]["Id"];
            /**
             * @description The anchors as the connected agents find them.
             * @example [
             *       {
             *         "Name": "gateway",
             *         "State": "Up",
             *         "Reason": null
             *       }
             *     ]
             */
            readonly AnchorStates?: {
                /**
                 * @description Name of the anchor.
                 * @example gateway
                 */
                Name: string;
                /**
                 * @description Unknown: no connected agent has checked it, or can.
                 * @example Up
                 * @enum {string}
                 */
                State: "Up" | "Down" | "Unknown";
                /**
                 * @description Why it is Down or Unknown, as an agent says; null: it is Up, or nobody says why.
                 * @example null
                 */
                Reason: string | null;
            }[];
            /**
             * @description An agent of the Location is connected and runs its checks.
             * @example true
             */
            readonly Online?: boolean;
            /**
             * @description Why it is offline; null when it is online or nobody knows.
             * @example null
             */
            readonly OfflineReason?: string | null;
            /**
             * @description Agents of the Location.
             * @example {
             *       "Count": 2,
             *       "Connected": 2
             *     }
             */
            readonly Agents?: {
                /**
                 * @description Number of them.
                 * @example 3
                 */
                Count: number;
                /**
                 * @description Agents that are connected now.
                 * @example 2
                 */
                Connected: number;
            };
            /**
             * @description What the Location has to do.
             * @example {
             *       "Devices": 61,
             *       "ChecksPerMinute": 12.2,
             *       "Capacity": 60000
             *     }
             */
            readonly Load?: {
                /**
                 * @description Devices that it checks.
                 * @example 61
                 */
                Devices: number;
                /**
                 * @description Regular checks that its devices ask for.
                 * @example 12.2
                 */
                ChecksPerMinute: number;
                /**
                 * @description Checks a minute that its connected agents can run.
                 * @example 60000
                 */
                Capacity: number;
            };
        };
        /**
         * @description Changed settings of an agent; what is absent stays.
         * @example {
         *       "Name": "agent-1",
         *       "Location": "Oslo"
         *     }
         */
        AgentUpdate: {
            /**
             * @description Name, one line. History shows a new name too.
             * @example agent-1
             */
            Name?: string;
            /**
             * @description Name or id of the Location at which it runs; another one moves the agent.
             * @example Oslo
             */
            Location?: string;
            /**
             * @description Id of the agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly agent_id?: components["schemas"]["Id"];
            /**
             * @description The host's name, as the agent reports it.
             * @example edge-1.example.com
             */
            readonly HostName?: string | null;
            /**
             * @description The agent's version; null before its first connection.
             * @example 0.2.0
             */
            readonly Version?: string | null;
            /**
             * @description New: invited, not connected yet. Expired: its invitation was not used within 15 minutes and is refused; invite again, and DELETE removes this one.
             * @example Connected
             * @enum {string}
             */
            readonly State?: "New" | "Connected" | "Away" | "Fenced" | "Revoked" | "Expired";
            /**
             * @description When a controller last heard of the agent; null: never.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastSeen?: components["schemas"]["Timestamp"] | null;
            /**
             * @description Controller minus agent, milliseconds.
             * @example 0.8
             */
            readonly ClockOffset?: number;
            /**
             * @description Records that wait on its disk.
             * @example 0
             */
            readonly Backlog?: number;
            /**
             * @description Start after due time, milliseconds.
             * @example {
             *       "p50": 1.2,
             *       "p99": 9.8
             *     }
             */
            readonly Lateness?: {
                /**
                 * @description Half of the checks started at most this late, milliseconds.
                 * @example 1.2
                 */
                p50: number;
                /**
                 * @description 99 percent of the checks started at most this late, milliseconds.
                 * @example 9.8
                 */
                p99: number;
            };
            /**
             * @description Checks a minute it can run.
             * @example 60000
             */
            readonly Capacity?: number;
            /**
             * @description Checks a minute of the devices it holds.
             * @example 12.2
             */
            readonly Load?: number;
            /**
             * @description Why it cannot see; null when it can.
             * @example null
             */
            readonly OfflineReason?: string | null;
            /**
             * @description When its certificate ends. The agent renews it before. null: it has not enrolled.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CertificateEnd?: components["schemas"]["Timestamp"] | null;
            /**
             * @description The latest upgrade that was asked for; null: none.
             * @example {
             *       "Version": "0.3.0",
             *       "State": "Failed",
             *       "Since": "2026-02-25T22:38:03+00:00",
             *       "Reason": "version 0.3.0 did not connect and report within 120 s"
             *     }
             */
            readonly Upgrade?: {
                /**
                 * @description The version that was asked for.
                 * @example 0.3.0
                 */
                Version: string;
                /**
                 * @description Waiting: its share of the rollout has not begun, or it is not connected. Done: it runs the version. Failed: it runs its version from before. Stopped: another agent of the rollout failed before.
                 * @enum {string}
                 */
                State: "Waiting" | "Started" | "Downloading" | "Restarting" | "Done" | "Failed" | "Stopped";
                /**
                 * @description Why it failed or stopped.
                 * @example version 0.3.0 did not connect and report within 120 s
                 */
                Reason: string | null;
                /** @description When the state began. */
                Since: components["schemas"]["Timestamp"];
            } | null;
        };
        /**
         * @description An agent to invite.
         * @example {
         *       "Location": "Oslo",
         *       "Name": "agent-1"
         *     }
         */
        NewInvitation: {
            /**
             * @description Name or id of the Location at which the agent will run.
             * @example Oslo
             */
            Location: string;
            /**
             * @description Name of the agent, one line.
             * @example agent-1
             */
            Name?: string;
        };
        /**
         * @description The version that an agent is to run.
         * @example {
         *       "Version": "0.3.0"
         *     }
         */
        AgentUpgradeRequest: {
            /**
             * @description The version to run. The controller needs its signed parcel.
             * @example 0.3.0
             */
            Version: string;
        };
        /**
         * @description A contact to create.
         * @example {
         *       "Name": "Operations",
         *       "Type": "email",
         *       "Address": "noc@example.org",
         *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
         *       "Options": {
         *         "To": "+4712345678",
         *         "Body": "{\"text\": \"{{Text}}\"}",
         *         "ContentType": "application/json",
         *         "SecretHeader": "X-Api-Key"
         *       },
         *       "Notify": [
         *         "device.down",
         *         "device.up"
         *       ],
         *       "Shadow": false,
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        ContactCreate: {
            /**
             * @description Name of the contact; need not be unique.
             * @example Operations
             */
            Name: string;
            /**
             * @description How messages reach it. Cannot be changed later.
             * @example email
             * @enum {string}
             */
            Type: "email" | "webhook" | "slack" | "teams" | "pagerduty" | "jsm" | "alertmanager" | "ntfy" | "telegram" | "sms" | "template" | "discord" | "gotify" | "matrix" | "mattermost" | "opsgenie" | "pushover" | "rocketchat" | "servicenow" | "signal" | "zulip";
            /**
             * @description Where its messages go: an e-mail address, the id of a Telegram chat, or a web address that begins with https:// (docs/contacts.md has one of each Type). Credentials in it come back as `***`; the mask may be sent back while scheme, host, port and user stay.
             * @example noc@example.org
             */
            Address: string;
            /**
             * @description Signs the messages of a webhook, or lets Vantage into the receiver. Never returned; null: none. Types that have one: webhook (whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)"); pagerduty (the integration key of the PagerDuty service (Events API v2): 32 letters and digits); jsm (the API key of an API integration of Jira Service Management or Opsgenie, for example 5e1f0c6a-0000-4000-8000-000000000000); alertmanager (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=); ntfy (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=); telegram (the bot's token as BotFather shows it, for example 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11); sms (optional; the value of the header that SecretHeader names (default Authorization), for example "Bearer 0f1e2d": printable ASCII characters); template (optional; the value of the header that SecretHeader names (default Authorization), for example "Bearer 0f1e2d": printable ASCII characters); gotify (the token of the application that you made there, for example AbCdEf12345: letters, digits, dots, - and _); matrix (the access token of the account that sends: letters, digits and -._~+/=); opsgenie (the API key of an API integration of Jira Service Management or Opsgenie, for example 5e1f0c6a-0000-4000-8000-000000000000); pushover (the token of the application that you made there, for example AbCdEf12345: letters, digits, dots, - and _); signal (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=).
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            Secret?: string | null;
            /** @description Settings of the Method. */
            Options?: components["schemas"]["ContactOptions"];
            /**
             * @description The kinds of messages that it gets; null: all.
             * @example [
             *       "device.down",
             *       "device.up"
             *     ]
             */
            Notify?: ("device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old" | "acknowledged")[] | null;
            /**
             * @description It gets nothing. Every decision and message for it is recorded, so that you can compare them with another system (GET /alerts?Shadow=Y).
             * @example false
             */
            Shadow?: boolean;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
        };
        /**
         * @description Options of the Type, replaced as a whole; null: none.
         * @example {
         *       "To": "+4712345678",
         *       "Body": "{\"text\": \"{{Text}}\"}",
         *       "ContentType": "application/json",
         *       "SecretHeader": "X-Api-Key"
         *     }
         */
        ContactOptions: {
            /**
             * @description sms: the phone number with + and the country.
             * @example +4712345678
             */
            To?: string;
            /**
             * @description sms and template: the body, with names in the place of facts: {{Text}}, {{ShortName}} … (docs/contacts.md). Values are escaped as ContentType needs it.
             * @example {"text": "{{Text}}"}
             */
            Body?: string;
            /**
             * @description sms and template: what the Body is (default application/json).
             * @enum {string}
             */
            ContentType?: "application/json" | "application/x-www-form-urlencoded" | "text/plain" | "application/xml";
            /**
             * @description sms and template: the header that carries the Secret. Default Authorization; none where the Body has {{Secret}}.
             * @example X-Api-Key
             */
            SecretHeader?: string;
        } | null;
        /**
         * @description Changed settings of a contact; what is absent stays.
         * @example {
         *       "Name": "Operations",
         *       "Type": "email",
         *       "Address": "noc@example.org",
         *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
         *       "Options": {
         *         "To": "+4712345678",
         *         "Body": "{\"text\": \"{{Text}}\"}",
         *         "ContentType": "application/json",
         *         "SecretHeader": "X-Api-Key"
         *       },
         *       "Notify": [
         *         "device.down",
         *         "device.up"
         *       ],
         *       "Shadow": false,
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        ContactUpdate: {
            /**
             * @description Name of the contact; need not be unique.
             * @example Operations
             */
            Name?: string;
            /**
             * @description May be sent back; cannot be changed.
             * @example email
             */
            Type?: string;
            /**
             * @description Where its messages go: an e-mail address, the id of a Telegram chat, or a web address that begins with https:// (docs/contacts.md has one of each Type). Credentials in it come back as `***`; the mask may be sent back while scheme, host, port and user stay.
             * @example noc@example.org
             */
            Address?: string;
            /**
             * @description Signs the messages of a webhook, or lets Vantage into the receiver. Never returned; null: none. Types that have one: webhook (whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)"); pagerduty (the integration key of the PagerDuty service (Events API v2): 32 letters and digits); jsm (the API key of an API integration of Jira Service Management or Opsgenie, for example 5e1f0c6a-0000-4000-8000-000000000000); alertmanager (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=); ntfy (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=); telegram (the bot's token as BotFather shows it, for example 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11); sms (optional; the value of the header that SecretHeader names (default Authorization), for example "Bearer 0f1e2d": printable ASCII characters); template (optional; the value of the header that SecretHeader names (default Authorization), for example "Bearer 0f1e2d": printable ASCII characters); gotify (the token of the application that you made there, for example AbCdEf12345: letters, digits, dots, - and _); matrix (the access token of the account that sends: letters, digits and -._~+/=); opsgenie (the API key of an API integration of Jira Service Management or Opsgenie, for example 5e1f0c6a-0000-4000-8000-000000000000); pushover (the token of the application that you made there, for example AbCdEf12345: letters, digits, dots, - and _); signal (optional; an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=).
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            Secret?: string | null;
            /** @description Settings of the Method. */
            Options?: components["schemas"]["ContactOptions"];
            /**
             * @description The kinds of messages that it gets; null: all.
             * @example [
             *       "device.down",
             *       "device.up"
             *     ]
             */
            Notify?: ("device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old" | "acknowledged")[] | null;
            /**
             * @description It gets nothing. Every decision and message for it is recorded, so that you can compare them with another system (GET /alerts?Shadow=Y).
             * @example false
             */
            Shadow?: boolean;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Id of the contact.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly contact_id?: components["schemas"]["Id"];
            /**
             * @description The secret before the last rotation also signs until then; null: there is none.
             * @example null
             */
            readonly PreviousSecretUntil?: components["schemas"]["Timestamp"] | null;
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt?: components["schemas"]["Timestamp"];
        };
        /**
         * @description A notification schedule that need not be stored, and the alert to try it with.
         * @example {
         *       "Steps": [
         *         {
         *           "DelayMinutes": 0,
         *           "Contacts": [
         *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           ],
         *           "Days": [
         *             "Mon",
         *             "Tue"
         *           ],
         *           "From": "08:00",
         *           "To": "18:00"
         *         }
         *       ],
         *       "Timezone": "Europe/Berlin",
         *       "At": "2026-03-01T03:10:00+01:00",
         *       "Severity": "critical",
         *       "Kind": "device.down"
         *     }
         */
        NotificationSchedulePreview: {
            /**
             * @description Whom it notifies when. The steps are independent of each other.
             * @example [
             *       {
             *         "DelayMinutes": 0,
             *         "Contacts": [
             *           "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *         ],
             *         "Days": [
             *           "Mon",
             *           "Tue"
             *         ],
             *         "From": "08:00",
             *         "To": "18:00"
             *       }
             *     ]
             */
            Steps: components["schemas"]["ScheduleStep"][];
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description When the alert is confirmed; null: now.
             * @example 2026-03-01T03:10:00+01:00
             */
            At?: string | null;
            /**
             * @description Severity of the alert.
             * @default critical
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description Kind of the alert.
             * @default device.down
             * @example device.down
             * @enum {string}
             */
            Kind: "device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old";
        };
        /**
         * @description A step of a notification schedule: whom it notifies, how long after the alert and at which hours.
         * @example {
         *       "DelayMinutes": 15,
         *       "Contacts": [
         *         "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *       ],
         *       "Days": [
         *         "Mon",
         *         "Tue",
         *         "Wed",
         *         "Thu",
         *         "Fri"
         *       ],
         *       "From": "08:00",
         *       "To": "18:00",
         *       "RepeatMinutes": 60,
         *       "Severities": [
         *         "critical"
         *       ]
         *     }
         */
        ScheduleStep: {
            /**
             * @description Minutes from the confirmed alert to this step, in wall time.
             * @example 15
             */
            DelayMinutes: number;
            /**
             * @description The contacts that are notified: the contact_id of each, or key: and its ExternalKey.
             * @example [
             *       "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *     ]
             */
            Contacts: string[];
            /**
             * @description Days on which it may notify, by the day of From; null: all.
             * @example [
             *       "Mon",
             *       "Tue",
             *       "Wed",
             *       "Thu",
             *       "Fri"
             *     ]
             */
            Days?: ("Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun")[] | null;
            /**
             * @description Begin of the hours in which it may notify, in the schedule's zone; null: 00:00.
             * @example 08:00
             */
            From?: string | null;
            /**
             * @description Their end; before From, they go past midnight; null: midnight.
             * @example 18:00
             */
            To?: string | null;
            /**
             * @description Minutes between repeats while the alert is open; null: no repeats.
             * @example 60
             */
            RepeatMinutes?: number | null;
            /**
             * @description The Severity of devices that it is for; null: all.
             * @example [
             *       "critical"
             *     ]
             */
            Severities?: ("critical" | "warning" | "info")[] | null;
        };
        /**
         * @description A notification schedule to create.
         * @example {
         *       "Name": "Office hours",
         *       "Timezone": "Europe/Berlin",
         *       "Steps": [
         *         {
         *           "DelayMinutes": 0,
         *           "Contacts": [
         *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           ],
         *           "Days": [
         *             "Mon",
         *             "Tue"
         *           ],
         *           "From": "08:00",
         *           "To": "18:00"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        NotificationScheduleCreate: {
            /**
             * @description Name of the schedule; need not be unique.
             * @example Office hours
             */
            Name: string;
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description Whom it notifies when. The steps are independent of each other.
             * @example [
             *       {
             *         "DelayMinutes": 0,
             *         "Contacts": [
             *           "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *         ],
             *         "Days": [
             *           "Mon",
             *           "Tue"
             *         ],
             *         "From": "08:00",
             *         "To": "18:00"
             *       }
             *     ]
             */
            Steps: components["schemas"]["ScheduleStep"][];
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
        };
        /**
         * @description Changed settings of a notification schedule; what is absent stays.
         * @example {
         *       "Name": "Office hours",
         *       "Timezone": "Europe/Berlin",
         *       "Steps": [
         *         {
         *           "DelayMinutes": 0,
         *           "Contacts": [
         *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           ],
         *           "Days": [
         *             "Mon",
         *             "Tue"
         *           ],
         *           "From": "08:00",
         *           "To": "18:00"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        NotificationScheduleUpdate: {
            /**
             * @description Name of the schedule; need not be unique.
             * @example Office hours
             */
            Name?: string;
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description Whom it notifies when. The steps are independent of each other.
             * @example [
             *       {
             *         "DelayMinutes": 0,
             *         "Contacts": [
             *           "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *         ],
             *         "Days": [
             *           "Mon",
             *           "Tue"
             *         ],
             *         "From": "08:00",
             *         "To": "18:00"
             *       }
             *     ]
             */
            Steps?: components["schemas"]["ScheduleStep"][];
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly nschedule_id?: components["schemas"]["Id"];
        };
        /**
         * @description A maintenance schedule to create.
         * @example {
         *       "Name": "Patch Sunday",
         *       "Timezone": "Europe/Berlin",
         *       "Start": "2026-03-01T02:00",
         *       "Duration": "02:00",
         *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
         *       "EndOnFirstOk": false,
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        MaintenanceScheduleCreate: {
            /**
             * @description Name of the schedule; need not be unique.
             * @example Patch Sunday
             */
            Name: string;
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description Begin of the first window, on the clocks of Timezone: `YYYY-MM-DDThh:mm`.
             * @example 2026-03-01T02:00
             */
            Start: string;
            /**
             * @description How long each window lasts: HH:MM of elapsed time, 00:01 to 99:59.
             * @example 02:00
             */
            Duration: string;
            /**
             * @description When windows begin: a rule of RFC 5545, section 3.3.10, with FREQ DAILY, WEEKLY, MONTHLY or YEARLY; null: once, at Start.
             * @example FREQ=WEEKLY;BYDAY=SU
             */
            Recurrence?: string | null;
            /**
             * @description The first good check after a bad one inside a window ends it; null: false.
             * @example false
             */
            EndOnFirstOk?: boolean | null;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
        };
        /**
         * @description Changed settings of a maintenance schedule; what is absent stays.
         * @example {
         *       "Name": "Patch Sunday",
         *       "Timezone": "Europe/Berlin",
         *       "Start": "2026-03-01T02:00",
         *       "Duration": "02:00",
         *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
         *       "EndOnFirstOk": false,
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        MaintenanceScheduleUpdate: {
            /**
             * @description Name of the schedule; need not be unique.
             * @example Patch Sunday
             */
            Name?: string;
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description Begin of the first window, on the clocks of Timezone: `YYYY-MM-DDThh:mm`.
             * @example 2026-03-01T02:00
             */
            Start?: string;
            /**
             * @description How long each window lasts: HH:MM of elapsed time, 00:01 to 99:59.
             * @example 02:00
             */
            Duration?: string;
            /**
             * @description When windows begin: a rule of RFC 5545, section 3.3.10, with FREQ DAILY, WEEKLY, MONTHLY or YEARLY; null: once, at Start.
             * @example FREQ=WEEKLY;BYDAY=SU
             */
            Recurrence?: string | null;
            /**
             * @description The first good check after a bad one inside a window ends it; null: false.
             * @example false
             */
            EndOnFirstOk?: boolean | null;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description Id of the maintenance schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly mschedule_id?: components["schemas"]["Id"];
        };
        /**
         * @description A maintenance schedule that need not be stored.
         * @example {
         *       "Timezone": "Europe/Berlin",
         *       "Start": "2026-03-01T02:00",
         *       "Duration": "02:00",
         *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU"
         *     }
         */
        MaintenanceSchedulePreview: {
            /**
             * @description IANA name of the time zone; null: the account's.
             * @example Europe/Berlin
             */
            Timezone?: string | null;
            /**
             * @description Begin of the first window, on the clocks of Timezone: `YYYY-MM-DDThh:mm`.
             * @example 2026-03-01T02:00
             */
            Start: string;
            /**
             * @description How long each window lasts: HH:MM of elapsed time, 00:01 to 99:59.
             * @example 02:00
             */
            Duration: string;
            /**
             * @description When windows begin: a rule of RFC 5545, section 3.3.10, with FREQ DAILY, WEEKLY, MONTHLY or YEARLY; null: once, at Start.
             * @example FREQ=WEEKLY;BYDAY=SU
             */
            Recurrence?: string | null;
        };
        /**
         * @description A secret to keep.
         * @example {
         *       "Name": "API_SECRET",
         *       "Value": "a value that nobody reads again"
         *     }
         */
        SecretCreate: {
            /**
             * @description Used as ${secret:NAME} in URL and Options, and as secret("NAME") in scripts.
             * @example API_SECRET
             */
            Name: string;
            /**
             * @description Never returned.
             * @example a value that nobody reads again
             */
            Value: string;
        };
        /**
         * @description Another value for a secret.
         * @example {
         *       "Name": "API_SECRET",
         *       "Value": "a value that nobody reads again"
         *     }
         */
        SecretUpdate: {
            /**
             * @description The name as it is; it cannot be changed.
             * @example API_SECRET
             */
            Name?: string;
            /**
             * @description Never returned.
             * @example a value that nobody reads again
             */
            Value?: string;
            /**
             * @description Id of the secret.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly secret_id?: components["schemas"]["Id"];
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt?: components["schemas"]["Timestamp"];
        };
        /**
         * @description An acknowledgement of many alerts.
         * @example {
         *       "Filter": {
         *         "Tag": "berlin"
         *       },
         *       "Note": "on it"
         *     }
         */
        AlertsAcknowledge: {
            /**
             * @description The alerts, at most 1000. Either this or Filter.
             * @example [
             *       "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *     ]
             */
            Alerts?: string[];
            /**
             * @description All open alerts that it leaves. Either this or Alerts.
             * @example Down
             */
            Filter?: components["schemas"]["AlertFilter"];
            /**
             * @description A note for the others, one line.
             * @default null
             * @example on it
             */
            Note: string | null;
        };
        /**
         * @description Open alerts; an empty object: all of them.
         * @example {
         *       "Kind": "device.down",
         *       "Severity": "critical",
         *       "Device": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Tag": "shop",
         *       "Location": "local"
         *     }
         */
        AlertFilter: {
            /**
             * @description Alerts of this kind only.
             * @enum {string}
             */
            Kind?: "device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old";
            /**
             * @description Alerts of this severity only.
             * @example critical
             * @enum {string}
             */
            Severity?: "critical" | "warning" | "info";
            /**
             * @description A device_id: the alerts of this device only.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            Device?: string;
            /**
             * @description Name or id of a tag: the alerts of its devices only.
             * @example shop
             */
            Tag?: string;
            /**
             * @description Name or id of a Location: its alerts, and those of the devices that are checked from there.
             * @example local
             */
            Location?: string;
        };
        /**
         * @description A snooze of many alerts.
         * @example {
         *       "Alerts": [
         *         "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *       ],
         *       "Duration": "01:00"
         *     }
         */
        AlertsSnooze: {
            /**
             * @description The alerts, at most 1000. Either this or Filter.
             * @example [
             *       "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *     ]
             */
            Alerts?: string[];
            /**
             * @description All open alerts that it leaves. Either this or Alerts.
             * @example Down
             */
            Filter?: components["schemas"]["AlertFilter"];
            /**
             * @description HH:MM from now, elapsed time. What would be sent before is sent at the end.
             * @example 01:00
             */
            Duration: string;
        };
        /**
         * @description An acknowledgement.
         * @example {
         *       "Note": "on it"
         *     }
         */
        AlertAcknowledge: {
            /**
             * @description A note for the others, one line.
             * @default null
             * @example on it
             */
            Note: string | null;
        };
        /**
         * @description A snooze.
         * @example {
         *       "Duration": "01:00"
         *     }
         */
        AlertSnooze: {
            /**
             * @description HH:MM from now, elapsed time. What would be sent before is sent at the end.
             * @example 01:00
             */
            Duration: string;
        };
        /**
         * @description A key to issue.
         * @example {
         *       "Name": "local",
         *       "Level": "UR",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Expires": "2026-02-25T23:38:03+01:00"
         *     }
         */
        KeyCreate: {
            /**
             * @description What the key is for; the audit names the key by it.
             * @example local
             */
            Name: string;
            /**
             * @description UR views; UO also acknowledges, snoozes, starts and stops maintenance and checks now; UW views and changes everything but keys; UA also manages keys.
             * @enum {string}
             */
            Level: "UR" | "UO" | "UW" | "UA";
            /**
             * @description Limits it to the devices that have one of these tags and to what belongs to them: names, ids, or the objects that a GET returns; null: no limit.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description When the key stops working; null: never.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires?: string | null;
        };
        /**
         * @description Changed settings of a key; what is absent stays.
         * @example {
         *       "Name": "local",
         *       "Level": "UR",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Expires": "2026-02-25T23:38:03+01:00"
         *     }
         */
        KeyUpdate: {
            /**
             * @description What the key is for; empty: nobody said it.
             * @example local
             */
            Name?: string;
            /**
             * @description UR views; UO also acknowledges, snoozes, starts and stops maintenance and checks now; UW views and changes everything but keys; UA also manages keys.
             * @enum {string}
             */
            Level?: "UR" | "UO" | "UW" | "UA";
            /**
             * @description Limits it to the devices that have one of these tags and to what belongs to them: names, ids, or the objects that a GET returns; null: no limit.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description When the key stops working; null: never.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires?: string | null;
            /**
             * @description Id of the key; not the key itself.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly key_id?: components["schemas"]["Id"];
            /**
             * @description The last use of the key or of a session of it, noted at most once a minute; null: none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastUsed?: components["schemas"]["Timestamp"] | null;
            /**
             * @description The address of the caller then.
             * @example 192.0.2.10
             */
            readonly LastAddress?: string | null;
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt?: components["schemas"]["Timestamp"];
            /**
             * @description The name of the key that made it, or `command line`; null: it was made before this was noted.
             * @example admin
             */
            readonly CreatedBy?: string | null;
        };
        /**
         * @description A person to invite.
         * @example {
         *       "Name": "local",
         *       "Email": "ada@example.org",
         *       "Level": "UR",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ]
         *     }
         */
        UserCreate: {
            /**
             * @description Name of the person; the audit names them by it.
             * @example local
             */
            Name: string;
            /**
             * @description The e-mail address with which the person signs in, unique in the account; its letter case does not count.
             * @example ada@example.org
             */
            Email: string;
            /**
             * @description What the person may do; see the levels of keys.
             * @enum {string}
             */
            Level: "UR" | "UO" | "UW" | "UA";
            /**
             * @description Limits it to the devices that have one of these tags and to what belongs to them: names, ids, or the objects that a GET returns; null: no limit.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
        };
        /**
         * @description Changed settings of a person; what is absent stays.
         * @example {
         *       "Name": "local",
         *       "Email": "ada@example.org",
         *       "Level": "UR",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ]
         *     }
         */
        UserUpdate: {
            /**
             * @description Name of the person; the audit names them by it.
             * @example local
             */
            Name?: string;
            /**
             * @description The e-mail address with which the person signs in, unique in the account; its letter case does not count.
             * @example ada@example.org
             */
            Email?: string;
            /**
             * @description What the person may do; see the levels of keys.
             * @enum {string}
             */
            Level?: "UR" | "UO" | "UW" | "UA";
            /**
             * @description Limits it to the devices that have one of these tags and to what belongs to them: names, ids, or the objects that a GET returns; null: no limit.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description Id of the person.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly user_id?: components["schemas"]["Id"];
            /**
             * @description How the person signs in; Invited: no invitation was accepted yet; Provider: by single sign-on only.
             * @enum {string}
             */
            readonly SignIn?: "Invited" | "Password" | "Provider";
            /**
             * @description The last use of a session, noted at most once a minute; null: none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastSeen?: components["schemas"]["Timestamp"] | null;
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt?: components["schemas"]["Timestamp"];
        };
        /**
         * @description The key of a sign-in, or e-mail address and password.
         * @example {
         *       "Key": "3f1c9a7e52d04b86",
         *       "Name": "local",
         *       "Email": "ada@example.org",
         *       "Account": "default",
         *       "Password": "a password"
         *     }
         */
        SignIn: {
            /**
             * @description The key. Of Key and Email, one is needed.
             * @example 3f1c9a7e52d04b86
             */
            Key?: string;
            /**
             * @description The user name, where one was set for the key.
             * @example local
             */
            Name?: string;
            /**
             * @description The e-mail address of a person who has a password, instead of a key.
             * @example ada@example.org
             */
            Email?: string;
            /**
             * @description With Email: the name of the account. Without it, the account is the one to which the person was invited first.
             * @example default
             */
            Account?: string;
            /**
             * Format: password
             * @description The password of the person; with Key, where one was set for the key.
             * @example a password
             */
            Password?: string;
        };
        /**
         * @description The present password and a new one.
         * @example {
         *       "Password": "the present one",
         *       "NewPassword": "correct horse battery staple"
         *     }
         */
        PasswordChange: {
            /**
             * Format: password
             * @description The present password.
             * @example the present one
             */
            Password: string;
            /**
             * @description The new password, at least 12 characters.
             * @example correct horse battery staple
             */
            NewPassword: string;
        };
        /**
         * @description Requests that are done one after the other.
         * @example {
         *       "Atomic": true,
         *       "Preview": false,
         *       "Operations": [
         *         {
         *           "Method": "POST",
         *           "Path": "/tags",
         *           "Body": {
         *             "Name": "web"
         *           },
         *           "IfMatch": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
         *         }
         *       ]
         *     }
         */
        Batch: {
            /**
             * @description true: all operations are one transaction; where one fails, nothing is done.
             * @default false
             * @example true
             */
            Atomic: boolean;
            /**
             * @description With Atomic: the operations are done and answered, and then all of it is rolled back.
             * @example false
             */
            Preview?: boolean;
            /** @description Done in this order. */
            Operations: components["schemas"]["Operation"][];
        };
        /**
         * @description One request of a batch.
         * @example {
         *       "Method": "POST",
         *       "Path": "/tags",
         *       "Body": {
         *         "Name": "web"
         *       },
         *       "IfMatch": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
         *     }
         */
        Operation: {
            /**
             * @description The verb.
             * @example POST
             * @enum {string}
             */
            Method: "GET" | "POST" | "PUT" | "DELETE";
            /**
             * @description Path and query as in a request of its own, without `/v1.1`.
             * @example /tags
             */
            Path: string;
            /**
             * @description The body that the request would have by itself.
             * @example {
             *       "Name": "web"
             *     }
             */
            Body?: Record<string, never>;
            /**
             * @description As the header If-Match: the change is refused (1005) where the resource has another ETag.
             * @example "9f2c61ab03de4471.0c1d2e3f40516273"
             */
            IfMatch?: string;
        };
        /**
         * @description A failure: a number for programs and a sentence for people.
         * @example {
         *       "code": 1004,
         *       "message": "Limit must be digits only.",
         *       "errors": [
         *         {
         *           "field": "Limit",
         *           "message": "must be digits only"
         *         }
         *       ],
         *       "Results": [
         *         {
         *           "Status": 200,
         *           "Body": {
         *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           },
         *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
         *         }
         *       ]
         *     }
         */
        Problem: {
            /**
             * @description 1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 not found, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.
             * @example 1004
             * @enum {integer}
             */
            code: 1000 | 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1500 | 1503;
            /**
             * @description What is wrong, in a sentence for people.
             * @example Limit must be digits only.
             */
            message: string;
            /**
             * @description All faults of the request, where fields are wrong.
             * @example [
             *       {
             *         "field": "Limit",
             *         "message": "must be digits only"
             *       }
             *     ]
             */
            errors?: {
                /**
                 * @description Path of the wrong field or parameter.
                 * @example Options.Headers
                 */
                field: string;
                /**
                 * @description What is wrong, in a sentence for people.
                 * @example Limit must be digits only.
                 */
                message: string;
            }[];
            /** @description Of an atomic batch in which an operation failed: its results up to that one. */
            Results?: components["schemas"]["OperationResult"][];
        };
        /**
         * @description The answer of one operation of a batch.
         * @example {
         *       "Status": 200,
         *       "Body": {
         *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *       },
         *       "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
         *     }
         */
        OperationResult: {
            /**
             * @description The HTTP status that the request would have by itself.
             * @example 200
             */
            Status: number;
            /**
             * @description The JSON that the request would be answered with by itself.
             * @example {
             *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *     }
             */
            Body: unknown;
            /**
             * @description Of a GET that shows one resource: for IfMatch.
             * @example "9f2c61ab03de4471.0c1d2e3f40516273"
             */
            ETag?: string;
        };
        /**
         * @description A check of settings that are not stored.
         * @example {
         *       "check_id": null,
         *       "Location": "local",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "BlockTime": 1.5,
         *       "ConnectTime": 11.2,
         *       "DNSTime": 4.1,
         *       "SSLTime": 22.6,
         *       "TTFB": 9.4,
         *       "TTLB": 1.6,
         *       "RequestTime": 48.9,
         *       "Kbps": 1420.5,
         *       "PerfStat": "Ok",
         *       "ResultCode": 1,
         *       "DataSize": 14873,
         *       "CheckResult": "200 OK",
         *       "Extended": {
         *         "Address": "192.0.2.80",
         *         "Status": 200
         *       }
         *     }
         */
        TrialRecord: {
            /**
             * @description Always null: the check is not stored.
             * @example null
             */
            check_id: null;
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description Start of the check.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description How late the check started after its due time, milliseconds; not in RequestTime.
             * @example 1.5
             */
            BlockTime: number;
            /**
             * @description Milliseconds from the first attempt to the connection that was used; 0 where there was none.
             * @example 11.2
             */
            ConnectTime: number;
            /**
             * @description Milliseconds until the name was resolved; 0 where there was no name to resolve.
             * @example 4.1
             */
            DNSTime: number;
            /**
             * @description Milliseconds of the TLS handshake; 0 without TLS.
             * @example 22.6
             */
            SSLTime: number;
            /**
             * @description Request sent to first byte of the answer, milliseconds.
             * @example 9.4
             */
            TTFB: number;
            /**
             * @description First to last byte, milliseconds.
             * @example 1.6
             */
            TTLB: number;
            /**
             * @description Sum of DNSTime, ConnectTime, SSLTime, TTFB and TTLB.
             * @example 48.9
             */
            RequestTime: number;
            /**
             * @description DataSize × 8 / (TTFB + TTLB): kilobits a second.
             * @example 1420.5
             */
            Kbps: number;
            /**
             * @description Ok; Slow: much slower than usual or than Options allow; Error: the check was not good.
             * @enum {string}
             */
            PerfStat: "Ok" | "Slow" | "Error";
            /**
             * @description 1 ok, 2 no answer in time, 3 protocol error, 4 script said error, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent's policy, 10 agent fault (9 and 10 say nothing about the device).
             * @example 1
             * @enum {integer}
             */
            ResultCode: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
            /**
             * @description Bytes of the answer.
             * @example 14873
             */
            DataSize: number;
            /**
             * @description One line for people.
             * @example 200 OK
             */
            CheckResult: string;
            /**
             * @description Address used and facts of the Method; for failures the diagnostics.
             * @example {
             *       "Address": "192.0.2.80",
             *       "Status": 200
             *     }
             */
            Extended: {
                [key: string]: unknown;
            };
        };
        /** @description ISO 8601, in the account's time zone. */
        Timestamp: string;
        /**
         * @description The record of one check, with the device that it belongs to.
         * @example {
         *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Location": "local",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "BlockTime": 1.5,
         *       "ConnectTime": 11.2,
         *       "DNSTime": 4.1,
         *       "SSLTime": 22.6,
         *       "TTFB": 9.4,
         *       "TTLB": 1.6,
         *       "RequestTime": 48.9,
         *       "Kbps": 1420.5,
         *       "PerfStat": "Ok",
         *       "ResultCode": 1,
         *       "DataSize": 14873,
         *       "CheckResult": "200 OK",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *     }
         */
        CheckOfDevice: {
            /**
             * @description Id of the check.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            check_id: components["schemas"]["Id"];
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description Start of the check.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description How late the check started after its due time, milliseconds; not in RequestTime.
             * @example 1.5
             */
            BlockTime: number;
            /**
             * @description Milliseconds from the first attempt to the connection that was used; 0 where there was none.
             * @example 11.2
             */
            ConnectTime: number;
            /**
             * @description Milliseconds until the name was resolved; 0 where there was no name to resolve.
             * @example 4.1
             */
            DNSTime: number;
            /**
             * @description Milliseconds of the TLS handshake; 0 without TLS.
             * @example 22.6
             */
            SSLTime: number;
            /**
             * @description Request sent to first byte of the answer, milliseconds.
             * @example 9.4
             */
            TTFB: number;
            /**
             * @description First to last byte, milliseconds.
             * @example 1.6
             */
            TTLB: number;
            /**
             * @description Sum of DNSTime, ConnectTime, SSLTime, TTFB and TTLB.
             * @example 48.9
             */
            RequestTime: number;
            /**
             * @description DataSize × 8 / (TTFB + TTLB): kilobits a second.
             * @example 1420.5
             */
            Kbps: number;
            /**
             * @description Ok; Slow: much slower than usual or than Options allow; Error: the check was not good.
             * @enum {string}
             */
            PerfStat: "Ok" | "Slow" | "Error";
            /**
             * @description 1 ok, 2 no answer in time, 3 protocol error, 4 script said error, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent's policy, 10 agent fault (9 and 10 say nothing about the device).
             * @example 1
             * @enum {integer}
             */
            ResultCode: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
            /**
             * @description Bytes of the answer.
             * @example 14873
             */
            DataSize: number;
            /**
             * @description One line for people.
             * @example 200 OK
             */
            CheckResult: string;
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
        };
        /** @description Opaque identifier. */
        Id: string;
        /**
         * @description Everything else that is kept of a check.
         * @example {
         *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Timestamp": "2026-02-25T23:38:03.012345+01:00",
         *       "EndTimestamp": "2026-02-25T23:38:03.412345+01:00",
         *       "ArrivedTimestamp": "2026-02-25T23:38:03.512345+01:00",
         *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Agent": "agent-1",
         *       "Location": "local",
         *       "Attempt": 0,
         *       "RetryId": null,
         *       "ResultCode": 1,
         *       "CheckResult": "200 OK",
         *       "Extended": {
         *         "Address": "192.0.2.80",
         *         "Status": 200
         *       }
         *     }
         */
        CheckExtended: {
            /**
             * @description Id of the check.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            check_id: components["schemas"]["Id"];
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * Format: date-time
             * @description ISO 8601 with microseconds, in the account's time zone.
             * @example 2026-02-25T23:38:03.012345+01:00
             */
            Timestamp: string;
            /**
             * Format: date-time
             * @description ISO 8601 with microseconds, in the account's time zone.
             * @example 2026-02-25T23:38:03.412345+01:00
             */
            EndTimestamp: string;
            /**
             * Format: date-time
             * @description When a controller got it.
             * @example 2026-02-25T23:38:03.512345+01:00
             */
            ArrivedTimestamp: string;
            /**
             * @description Id of the agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            agent_id: components["schemas"]["Id"] | null;
            /**
             * @description Name of the agent.
             * @example agent-1
             */
            Agent: string | null;
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description 0: a regular check; k: the k-th retry.
             * @example 0
             */
            Attempt: number;
            /**
             * @description The retry sequence that it belongs to.
             * @example null
             */
            RetryId: string | null;
            /**
             * @description 1 ok, 2 no answer in time, 3 protocol error, 4 error of the script, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent’s policy, 10 agent fault.
             * @example 1
             * @enum {integer}
             */
            ResultCode: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
            /**
             * @description The result in one line for people.
             * @example 200 OK
             */
            CheckResult: string;
            /**
             * @description Address used and facts of the Method; for failures the diagnostics: transcript, headers, body, certificates.
             * @example {
             *       "Address": "192.0.2.80",
             *       "Status": 200
             *     }
             */
            Extended: {
                [key: string]: unknown;
            };
        };
        /**
         * @description The record of one check. All times are milliseconds; DNSTime, ConnectTime, SSLTime, TTFB and TTLB add up to RequestTime.
         * @example {
         *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Location": "local",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "BlockTime": 1.5,
         *       "ConnectTime": 11.2,
         *       "DNSTime": 4.1,
         *       "SSLTime": 22.6,
         *       "TTFB": 9.4,
         *       "TTLB": 1.6,
         *       "RequestTime": 48.9,
         *       "Kbps": 1420.5,
         *       "PerfStat": "Ok",
         *       "ResultCode": 1,
         *       "DataSize": 14873,
         *       "CheckResult": "200 OK"
         *     }
         */
        Check: {
            /**
             * @description Id of the check.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            check_id: components["schemas"]["Id"];
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description Start of the check.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description How late the check started after its due time, milliseconds; not in RequestTime.
             * @example 1.5
             */
            BlockTime: number;
            /**
             * @description Milliseconds from the first attempt to the connection that was used; 0 where there was none.
             * @example 11.2
             */
            ConnectTime: number;
            /**
             * @description Milliseconds until the name was resolved; 0 where there was no name to resolve.
             * @example 4.1
             */
            DNSTime: number;
            /**
             * @description Milliseconds of the TLS handshake; 0 without TLS.
             * @example 22.6
             */
            SSLTime: number;
            /**
             * @description Request sent to first byte of the answer, milliseconds.
             * @example 9.4
             */
            TTFB: number;
            /**
             * @description First to last byte, milliseconds.
             * @example 1.6
             */
            TTLB: number;
            /**
             * @description Sum of DNSTime, ConnectTime, SSLTime, TTFB and TTLB.
             * @example 48.9
             */
            RequestTime: number;
            /**
             * @description DataSize × 8 / (TTFB + TTLB): kilobits a second.
             * @example 1420.5
             */
            Kbps: number;
            /**
             * @description Ok; Slow: much slower than usual or than Options allow; Error: the check was not good.
             * @enum {string}
             */
            PerfStat: "Ok" | "Slow" | "Error";
            /**
             * @description 1 ok, 2 no answer in time, 3 protocol error, 4 script said error, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent's policy, 10 agent fault (9 and 10 say nothing about the device).
             * @example 1
             * @enum {integer}
             */
            ResultCode: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
            /**
             * @description Bytes of the answer.
             * @example 14873
             */
            DataSize: number;
            /**
             * @description One line for people.
             * @example 200 OK
             */
            CheckResult: string;
        };
        /**
         * @description A device as lists show it.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Method": "HTTP",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin"
         *     }
         */
        DeviceEntry: {
            /**
             * @description Up, Down, Maint (in maintenance) or Unknown (no Location checks it).
             * @enum {string}
             */
            Status: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description URL, host name or custom script that is monitored.
             * @example https://www.example.com/
             */
            URL: string;
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            /**
             * @description Minutes between checks.
             * @example 5
             * @enum {integer}
             */
            Frequency: 1 | 2 | 5 | 10 | 20 | 30 | 60;
            /**
             * @description Seconds between checks; null: Frequency counts.
             * @example null
             */
            FrequencySeconds: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description CheckResult of the last check; null before the first one.
             * @example 200 OK
             */
            LastCheckResult: string | null;
            /**
             * @description Since when the device has this Status.
             * @example 2026-02-25T23:38:03+01:00
             */
            StatusSince: components["schemas"]["Timestamp"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description false: the device is paused.
             * @example true
             */
            Enabled: boolean;
            /**
             * @description How bad an outage of it is.
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description End of the current maintenance; null: it is in none.
             * @example 2026-02-25T23:38:03+01:00
             */
            MaintenanceUntil: components["schemas"]["Timestamp"] | null;
            /**
             * @description An error was seen that is not confirmed yet.
             * @example false
             */
            Retrying: boolean;
            /**
             * @description Id of its master where the device is Down and the master is Down too; otherwise null.
             * @example null
             */
            DownBecause: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description A device with all its settings, by its Method.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "HTTP",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        Device: components["schemas"]["DeviceHTTP"] | components["schemas"]["DevicePING"] | components["schemas"]["DeviceSMTP"] | components["schemas"]["DevicePOP3"] | components["schemas"]["DeviceMySQL"] | components["schemas"]["DeviceIMAP4"] | components["schemas"]["DeviceFTP"] | components["schemas"]["DeviceTELNET"] | components["schemas"]["DeviceSSH"] | components["schemas"]["DeviceNNTP"] | components["schemas"]["DeviceTCP"] | components["schemas"]["DeviceDNS"] | components["schemas"]["DeviceScript"];
        /**
         * @description Maintenance of one device that runs or is planned.
         * @example {
         *       "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Source": "Manual",
         *       "mschedule_id": null,
         *       "Start": "2026-02-25T23:38:03+01:00",
         *       "End": "2026-02-25T23:38:03+01:00",
         *       "Reason": "Kernel update",
         *       "By": "Ada"
         *     }
         */
        DeviceMaintenance: {
            /**
             * @description Id of the maintenance.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            maintenance_id: components["schemas"]["Id"];
            /**
             * @description Who asked for it: somebody, or a maintenance schedule.
             * @example Manual
             * @enum {string}
             */
            Source: "Manual" | "Schedule";
            /**
             * @description The schedule; null: it has none.
             * @example null
             */
            mschedule_id: components["schemas"]["Id"] | null;
            /**
             * @description In the future: it is planned.
             * @example 2026-02-25T23:38:03+01:00
             */
            Start: components["schemas"]["Timestamp"];
            /** @example 2026-02-25T23:38:03+01:00 */
            End: components["schemas"]["Timestamp"];
            /**
             * @description Why, for people; null: none was given.
             * @example Kernel update
             */
            Reason: string | null;
            /**
             * @description Name of the key or person that asked for it; null: a schedule, or not known.
             * @example Ada
             */
            By: string | null;
        };
        /**
         * @description What a change of many devices does, or has done.
         * @example {
         *       "Matched": 2,
         *       "Changed": 1,
         *       "Refused": [
         *         {
         *           "device_id": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
         *           "Reason": "It is the master of other devices."
         *         }
         *       ],
         *       "Token": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
         *       "Done": false
         *     }
         */
        BulkChangeOutcome: {
            /**
             * @description How many devices Filter leaves.
             * @example 2
             */
            Matched: number;
            /**
             * @description How many of them change, or are changed by now; the others have these settings already.
             * @example 1
             */
            Changed: number;
            /**
             * @description Devices that are not changed, the first 100, each with the reason.
             * @example [
             *       {
             *         "device_id": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
             *         "Reason": "It is the master of other devices."
             *       }
             *     ]
             */
            Refused: {
                /**
                 * @description Id of the device.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: components["schemas"]["Id"];
                Reason: string;
            }[];
            /**
             * @description Sent with the same body within an hour, it does what was previewed.
             * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
             */
            Token: components["schemas"]["Id"];
            /**
             * @description false: it is a preview, or goes on.
             * @example false
             */
            Done: boolean;
        };
        /**
         * @description The state of the whole account.
         * @example {
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "Devices": {
         *         "Total": 4107,
         *         "Up": 4102,
         *         "Down": 3,
         *         "Maint": 2,
         *         "Unknown": 0,
         *         "Paused": 0,
         *         "Retrying": 1
         *       },
         *       "Alerts": {
         *         "Open": 2,
         *         "Acknowledged": 1,
         *         "Snoozed": 0
         *       },
         *       "LastCheck": "2026-02-25T23:38:03+01:00",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "berlin/rack-3",
         *           "Worst": "Down",
         *           "Up": 40,
         *           "Down": 1,
         *           "Maint": 0,
         *           "Unknown": 0
         *         }
         *       ],
         *       "Locations": [
         *         {
         *           "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "local",
         *           "Online": true,
         *           "Worst": "Up",
         *           "Up": 40,
         *           "Down": 0,
         *           "Maint": 0,
         *           "Unknown": 0
         *         }
         *       ]
         *     }
         */
        Summary: {
            /** @example 2026-02-25T23:38:03+01:00 */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @example {
             *       "Total": 4107,
             *       "Up": 4102,
             *       "Down": 3,
             *       "Maint": 2,
             *       "Unknown": 0,
             *       "Paused": 0,
             *       "Retrying": 1
             *     }
             */
            Devices: components["schemas"]["DeviceCounts"];
            Alerts: components["schemas"]["AlertCounts"];
            /**
             * @description Until when agents reported their checks; null: none ever did. An old time means that nobody looks.
             * @example 2026-02-25T23:38:03+01:00
             */
            LastCheck: components["schemas"]["Timestamp"] | null;
            /**
             * @description With By=Tag or By=Path: by name.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "berlin/rack-3",
             *         "Worst": "Down",
             *         "Up": 40,
             *         "Down": 1,
             *         "Maint": 0,
             *         "Unknown": 0
             *       }
             *     ]
             */
            Tags?: components["schemas"]["SummaryOfTag"][];
            /**
             * @description With By=Location: by name. A device with several Locations counts at each of them.
             * @example [
             *       {
             *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "local",
             *         "Online": true,
             *         "Worst": "Up",
             *         "Up": 40,
             *         "Down": 0,
             *         "Maint": 0,
             *         "Unknown": 0
             *       }
             *     ]
             */
            Locations?: components["schemas"]["SummaryOfLocation"][];
        };
        /**
         * @description The devices of the account; Up, Down, Maint and Unknown add up to Total.
         * @example {
         *       "Total": 4107,
         *       "Up": 4102,
         *       "Down": 3,
         *       "Maint": 2,
         *       "Unknown": 0,
         *       "Paused": 12,
         *       "Retrying": 1
         *     }
         */
        DeviceCounts: {
            /**
             * @description All of them.
             * @example 4107
             */
            Total: number;
            /**
             * @description Devices that are Up.
             * @example 4102
             */
            Up: number;
            /**
             * @description Devices that are Down.
             * @example 3
             */
            Down: number;
            /**
             * @description Devices in maintenance.
             * @example 2
             */
            Maint: number;
            /**
             * @description Devices of which nobody knows the status.
             * @example 0
             */
            Unknown: number;
            /**
             * @description Of those that are Unknown or in maintenance: paused ones.
             * @example 12
             */
            Paused: number;
            /**
             * @description In a retry sequence, whatever their status.
             * @example 1
             */
            Retrying: number;
        };
        /**
         * @description The open alerts.
         * @example {
         *       "Open": 2,
         *       "Acknowledged": 1,
         *       "Snoozed": 0
         *     }
         */
        AlertCounts: {
            /**
             * @description Neither acknowledged nor snoozed.
             * @example 2
             */
            Open: number;
            /**
             * @description Those that somebody acknowledged.
             * @example 1
             */
            Acknowledged: number;
            /**
             * @description Those that somebody snoozed, until then.
             * @example 0
             */
            Snoozed: number;
        };
        /**
         * @description The devices with a tag, or with one of the tags below a level of paths, by status.
         * @example {
         *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "local",
         *       "Worst": "Up",
         *       "Up": 4102,
         *       "Down": 3,
         *       "Maint": 2,
         *       "Unknown": 0
         *     }
         */
        SummaryOfTag: {
            /**
             * @description null: a level of paths that is no tag.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            tag_id: components["schemas"]["Id"] | null;
            /**
             * @description The name.
             * @example local
             */
            Name: string;
            /** @description The worst status of its devices: Down, Unknown, Maint, Up; null: it has none. */
            Worst: ("Up" | "Down" | "Maint" | "Unknown") | null;
            /**
             * @description Devices that are Up.
             * @example 4102
             */
            Up: number;
            /**
             * @description Devices that are Down.
             * @example 3
             */
            Down: number;
            /**
             * @description Devices in maintenance.
             * @example 2
             */
            Maint: number;
            /**
             * @description Devices of which nobody knows the status.
             * @example 0
             */
            Unknown: number;
        };
        /**
         * @description The devices that are checked from a Location, by status.
         * @example {
         *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "local",
         *       "Online": true,
         *       "Worst": "Up",
         *       "Up": 4102,
         *       "Down": 3,
         *       "Maint": 2,
         *       "Unknown": 0
         *     }
         */
        SummaryOfLocation: {
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            location_id: components["schemas"]["Id"];
            /**
             * @description The name.
             * @example local
             */
            Name: string;
            /**
             * @description An agent of the Location is connected and runs its checks.
             * @example true
             */
            Online: boolean;
            /** @description The worst status of its devices: Down, Unknown, Maint, Up; null: it has none. */
            Worst: ("Up" | "Down" | "Maint" | "Unknown") | null;
            /**
             * @description Devices that are Up.
             * @example 4102
             */
            Up: number;
            /**
             * @description Devices that are Down.
             * @example 3
             */
            Down: number;
            /**
             * @description Devices in maintenance.
             * @example 2
             */
            Maint: number;
            /**
             * @description Devices of which nobody knows the status.
             * @example 0
             */
            Unknown: number;
        };
        /**
         * @description A device as lists of thousands show it.
         * @example {
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Method": "HTTP",
         *       "Status": "Up",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "Enabled": true,
         *       "Retrying": false,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "DownBecause": null,
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Locations": [
         *         {
         *           "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "local"
         *         }
         *       ],
         *       "LastCheck": {
         *         "Timestamp": "2026-02-25T23:38:03+01:00",
         *         "RequestTime": 48.9,
         *         "ResultCode": 1
         *       },
         *       "Master": {
         *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *         "ShortName": "gw-1"
         *       },
         *       "Day": "UUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUDDDUUUUUUUUU",
         *       "Settings": {
         *         "URL": "https://www.example.com/",
         *         "Method": "HTTP",
         *         "Frequency": 5,
         *         "FrequencySeconds": null,
         *         "ShortName": "web-1",
         *         "FullName": "Web shop, front page",
         *         "ExternalKey": "cmdb-4711",
         *         "Enabled": true,
         *         "Severity": "critical",
         *         "Source": "net/berlin",
         *         "Timeout": 30,
         *         "Retries": 2,
         *         "Attempts": 3,
         *         "RetryDelay": 1,
         *         "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *         "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *         "device_master_id": null,
         *         "Locations": [
         *           "local"
         *         ],
         *         "Options": {
         *           "Count": 3
         *         },
         *         "Tags": [
         *           {
         *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *             "Name": "shop"
         *           }
         *         ]
         *       },
         *       "Gone": true
         *     }
         */
        DeviceState: {
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName?: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName?: string | null;
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method?: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            /**
             * @description Up, Down, Maint (in maintenance) or Unknown (no Location checks it).
             * @enum {string}
             */
            Status?: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description Since when the device has this Status.
             * @example 2026-02-25T23:38:03+01:00
             */
            StatusSince?: components["schemas"]["Timestamp"];
            /**
             * @description false: the device is paused.
             * @example true
             */
            Enabled?: boolean;
            /**
             * @description An error was seen that is not confirmed yet.
             * @example false
             */
            Retrying?: boolean;
            /**
             * @description How bad an outage of it is.
             * @example critical
             * @enum {string}
             */
            Severity?: "critical" | "warning" | "info";
            /**
             * @description End of the current maintenance; null: it is in none.
             * @example 2026-02-25T23:38:03+01:00
             */
            MaintenanceUntil?: components["schemas"]["Timestamp"] | null;
            /**
             * @description Id of its master where the device is Down and the master is Down too; otherwise null.
             * @example null
             */
            DownBecause?: string | null;
            /**
             * @description Tags of the device.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[];
            /**
             * @description The Locations that check it.
             * @example [
             *       {
             *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "local"
             *       }
             *     ]
             */
            Locations?: {
                /**
                 * @description Id of the Location.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                location_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[];
            /**
             * @description Its last check within a day; null: there is none.
             * @example {
             *       "Timestamp": "2026-02-25T23:38:03+01:00",
             *       "RequestTime": 48.9,
             *       "ResultCode": 1
             *     }
             */
            LastCheck?: {
                /** @example 2026-02-25T23:38:03+01:00 */
                Timestamp: components["schemas"]["Timestamp"];
                /**
                 * @description Milliseconds that it took.
                 * @example 48.9
                 */
                RequestTime: number;
                /**
                 * @description 1 ok, 2 no answer in time, 3 protocol error, 4 error of the script, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent’s policy, 10 agent fault.
                 * @example 1
                 * @enum {integer}
                 */
                ResultCode: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
            } | null;
            /**
             * @description The device that it is behind; null: none.
             * @example {
             *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *       "ShortName": "gw-1"
             *     }
             */
            Master?: {
                /**
                 * @description Id of the device.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: components["schemas"]["Id"];
                /**
                 * @description Short name of the device.
                 * @example web-1
                 */
                ShortName: string;
            } | null;
            /**
             * @description The worst status of each 20 minutes of a day; the last letter is that of now. U is Up, D Down, M Maint, ? Unknown.
             * @example UUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUDDDUUUUUUUUU
             */
            Day?: string;
            Settings?: components["schemas"]["DeviceSettings"];
            /**
             * @description With ChangedSince: it was deleted, or is not in the list any more. The row has no other field.
             * @constant
             */
            Gone?: true;
        };
        /**
         * @description Settings of a device, as PUT /devices/{device_id} takes them.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "Method": "HTTP",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Options": {
         *         "Count": 3
         *       },
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ]
         *     }
         */
        DeviceSettings: {
            /**
             * @description URL, host name or custom script that is monitored.
             * @example https://www.example.com/
             */
            URL: string;
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            /**
             * @description Minutes between checks.
             * @example 5
             * @enum {integer}
             */
            Frequency: 1 | 2 | 5 | 10 | 20 | 30 | 60;
            /**
             * @description Seconds between checks; null: Frequency counts.
             * @example null
             */
            FrequencySeconds: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description false: the device is paused.
             * @example true
             */
            Enabled: boolean;
            /**
             * @description How bad an outage of it is.
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
            /**
             * @description Seconds to wait for a response.
             * @example 30
             */
            Timeout: number;
            /**
             * @description Retries after an error before alerting.
             * @example 2
             */
            Retries: number;
            /**
             * @description Failing checks until the device is Down.
             * @example 3
             */
            Attempts: number;
            /**
             * @description Seconds before a retry.
             * @example 1
             */
            RetryDelay: number;
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id: string | null;
            /**
             * @description Id of the maintenance schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id: string | null;
            /**
             * @description Id of the master device; null: none.
             * @example null
             */
            device_master_id: string | null;
            /**
             * @description Names of the Locations that check it; null: the account's DefaultLocations.
             * @example [
             *       "local"
             *     ]
             */
            Locations: string[] | null;
            /**
             * @description Settings of the Method.
             * @example {
             *       "Count": 3
             *     }
             */
            Options: {
                [key: string]: unknown;
            };
            /**
             * @description Tags of the device.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags: {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[];
        };
        /**
         * @description A change of a device, a Location or an agent.
         * @example {
         *       "event_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "Type": "Down",
         *       "Status": "Up",
         *       "Location": "local",
         *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "CheckResult": "200 OK",
         *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Message": "Down: connection refused by 192.0.2.80:443",
         *       "Duration": 312,
         *       "Late": false
         *     }
         */
        Event: {
            /**
             * @description Id of the event.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            event_id: components["schemas"]["Id"];
            /**
             * @description null: the event is about a Location or an agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"] | null;
            /**
             * @description The device's; null where the event has none, or it is deleted.
             * @example web-1
             */
            ShortName: string | null;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description End of the check that caused it.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description What changed.
             * @example Down
             * @enum {string}
             */
            Type: "Created" | "Changed" | "Error" | "Recovered" | "Partial" | "Down" | "Up" | "Unknown" | "MaintStart" | "MaintEnd" | "Slow" | "Fast" | "CertificateExpiring" | "Alert" | "AlertFailed" | "AlertSuppressed" | "LocationOffline" | "LocationOnline" | "AnchorDown" | "AnchorUp" | "AgentFenced" | "AgentRevoked" | "AgentUpgraded" | "AgentUpgradeFailed";
            /**
             * @description The device's status after it; of a Location Unknown while it is offline, Up when it is online.
             * @enum {string}
             */
            Status: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string | null;
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            location_id: components["schemas"]["Id"] | null;
            /**
             * @description The result in one line for people.
             * @example 200 OK
             */
            CheckResult: string | null;
            /**
             * @description Id of the check.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            check_id: components["schemas"]["Id"] | null;
            /**
             * @description One line for people.
             * @example Down: connection refused by 192.0.2.80:443
             */
            Message: string;
            /**
             * @description Seconds of the state that just ended.
             * @example 312
             */
            Duration: number | null;
            /**
             * @description Its check arrived late, after a cut.
             * @example false
             */
            Late: boolean;
        };
        /**
         * @description Maintenance that runs or is planned: of one request, or of one occurrence of a schedule.
         * @example {
         *       "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Source": "Manual",
         *       "mschedule_id": null,
         *       "Start": "2026-02-25T23:38:03+01:00",
         *       "End": "2026-02-25T23:38:03+01:00",
         *       "Reason": "Kernel update",
         *       "By": "Ada",
         *       "Devices": [
         *         "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *       ],
         *       "DeviceCount": 1
         *     }
         */
        Maintenance: {
            /**
             * @description Id of the maintenance.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            maintenance_id: components["schemas"]["Id"];
            /**
             * @description Who asked for it: somebody, or a maintenance schedule.
             * @example Manual
             * @enum {string}
             */
            Source: "Manual" | "Schedule";
            /**
             * @description The schedule; null: it has none.
             * @example null
             */
            mschedule_id: components["schemas"]["Id"] | null;
            /**
             * @description In the future: it is planned.
             * @example 2026-02-25T23:38:03+01:00
             */
            Start: components["schemas"]["Timestamp"];
            /** @example 2026-02-25T23:38:03+01:00 */
            End: components["schemas"]["Timestamp"];
            /**
             * @description Why, for people; null: none was given.
             * @example Kernel update
             */
            Reason: string | null;
            /**
             * @description Name of the key or person that asked for it; null: a schedule, or not known.
             * @example Ada
             */
            By: string | null;
            /**
             * @description Its devices, at most 100 of them, in the order of creation.
             * @example [
             *       "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *     ]
             */
            Devices: components["schemas"]["Id"][];
            /**
             * @description How many devices it has.
             * @example 1
             */
            DeviceCount: number;
        };
        /**
         * @description A time in which a device was Down, from the first error to the check that found it Up.
         * @example {
         *       "outage_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Start": "2026-02-25T23:38:03+01:00",
         *       "End": "2026-02-25T23:38:03+01:00",
         *       "Seconds": 312,
         *       "Location": "local",
         *       "Locations": [
         *         "local"
         *       ],
         *       "CheckResult": "connection refused by 192.0.2.10:443",
         *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Acknowledged": false,
         *       "Behind": 0,
         *       "Note": "power of rack 3, see the post-mortem",
         *       "Excluded": true
         *     }
         */
        Outage: {
            /**
             * @description Id of the outage.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly outage_id: components["schemas"]["Id"];
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly device_id: components["schemas"]["Id"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            readonly ShortName: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            readonly FullName: string | null;
            /**
             * @description The first error of the failure, or the end of the maintenance that it fell into.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly Start: components["schemas"]["Timestamp"];
            /**
             * @description The check that found the device Up again; null while the outage is open.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly End: components["schemas"]["Timestamp"] | null;
            /**
             * @description From Start to End, or to now.
             * @example 312
             */
            readonly Seconds: number;
            /**
             * @description Location of the first error.
             * @example local
             */
            readonly Location: string | null;
            /**
             * @description Names of the Locations of its first error, of the check that confirmed it, and of Partial.
             * @example [
             *       "local"
             *     ]
             */
            readonly Locations: string[];
            /**
             * @description Result of the first error; null where its event is not known.
             * @example connection refused by 192.0.2.10:443
             */
            readonly CheckResult: string | null;
            /**
             * @description The check of the first error; checks are kept for a shorter time than outages.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly check_id: components["schemas"]["Id"] | null;
            /**
             * @description Its latest alert; null: it has none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly alert_id: components["schemas"]["Id"] | null;
            /**
             * @description Somebody acknowledged the alert of this outage.
             * @example false
             */
            readonly Acknowledged: boolean;
            /**
             * @description Devices that are reached through this one (its device_master_id chain) and were Down with it.
             * @example 0
             */
            readonly Behind: number;
            /**
             * @description What people say about it, one line; null: nothing.
             * @example power of rack 3, see the post-mortem
             */
            Note: string | null;
            /** @description Uptime leaves the outage out, and says so in ExcludedSeconds and ExcludedOutages. */
            Excluded: boolean;
        };
        /**
         * @description What traceroutes say about the master of a device.
         * @example {
         *       "SuggestedMaster": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "gw",
         *       "Address": "192.0.2.1",
         *       "Traceroutes": 3,
         *       "Complete": true,
         *       "Reason": "no router on the way is a device of this account"
         *     }
         */
        SuggestedMaster: {
            /**
             * @description A PUT of it as device_master_id makes it the master; null: none is suggested.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            SuggestedMaster: components["schemas"]["Id"] | null;
            /**
             * @description Of the suggested master.
             * @example gw
             */
            ShortName: string | null;
            /**
             * @description The hop by which it was found.
             * @example 192.0.2.1
             */
            Address: string | null;
            /**
             * @description How many traceroutes of checks, failed or requested, were read.
             * @example 3
             */
            Traceroutes: number;
            /**
             * @description A traceroute reached the device, and every router behind the suggested one answered. false: a nearer router may be missing; POST /devices/{device_id}/traceroute traces again.
             * @example true
             */
            Complete: boolean;
            /**
             * @description Why none is suggested.
             * @example no router on the way is a device of this account
             */
            Reason: string | null;
        };
        /**
         * @description The path from an agent to a device.
         * @example {
         *       "check_id": "0000002a0006a2b1c3d4e5f60000000700000000000000ff",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Location": "local",
         *       "Agent": "agent-1",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "CheckResult": "connected",
         *       "Reached": true,
         *       "Hops": [
         *         {
         *           "TTL": 1,
         *           "Address": "192.0.2.1",
         *           "RTTMs": 0.4,
         *           "Text": null
         *         },
         *         {
         *           "TTL": 2,
         *           "Address": "198.51.100.7",
         *           "RTTMs": 3.1,
         *           "Text": "connected"
         *         }
         *       ],
         *       "SuggestedMaster": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *     }
         */
        Traceroute: {
            /**
             * @description The check that was made before it. GET /checks/{check_id}/extended keeps both.
             * @example 0000002a0006a2b1c3d4e5f60000000700000000000000ff
             */
            check_id: components["schemas"]["Id"];
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description The agent that traced.
             * @example agent-1
             */
            Agent: string | null;
            /**
             * @description Start of the check.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description What the check says.
             * @example connected
             */
            CheckResult: string;
            /**
             * @description The last hop is the device itself.
             * @example true
             */
            Reached: boolean;
            /**
             * @description The routers on the way, nearest to the agent first.
             * @example [
             *       {
             *         "TTL": 1,
             *         "Address": "192.0.2.1",
             *         "RTTMs": 0.4,
             *         "Text": null
             *       },
             *       {
             *         "TTL": 2,
             *         "Address": "198.51.100.7",
             *         "RTTMs": 3.1,
             *         "Text": "connected"
             *       }
             *     ]
             */
            Hops: {
                /**
                 * @description Distance in routers, from 1.
                 * @example 64
                 */
                TTL: number;
                /** @description Who answered; null: nobody did. */
                Address: string | null;
                /** @description Round trip, milliseconds. */
                RTTMs: number | null;
                /** @description What the target or a router reported; null for a router that passed packets on. */
                Text: string | null;
            }[];
            /**
             * @description What all traceroutes of the device suggest, as GET /devices/{device_id}/suggested-master; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            SuggestedMaster: components["schemas"]["Id"] | null;
        };
        /**
         * @description The statuses of a device over a period.
         * @example {
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Intervals": [
         *         {
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Status": "Up",
         *           "Seconds": 3600
         *         },
         *         {
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": null,
         *           "Status": "Down",
         *           "Seconds": 48,
         *           "Mixed": true
         *         }
         *       ]
         *     }
         */
        DeviceTimeline: {
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * @description In the order of time, without holes.
             * @example [
             *       {
             *         "Start": "2026-02-25T23:38:03+01:00",
             *         "End": "2026-02-25T23:38:03+01:00",
             *         "Status": "Up",
             *         "Seconds": 3600
             *       },
             *       {
             *         "Start": "2026-02-25T23:38:03+01:00",
             *         "End": null,
             *         "Status": "Down",
             *         "Seconds": 48,
             *         "Mixed": true
             *       }
             *     ]
             */
            Intervals: components["schemas"]["TimelineInterval"][];
        };
        /**
         * @description A stretch of time with one status.
         * @example {
         *       "Start": "2026-02-25T23:38:03+01:00",
         *       "End": "2026-02-25T23:38:03+01:00",
         *       "Status": "Up",
         *       "Seconds": 3600,
         *       "Mixed": true
         *     }
         */
        TimelineInterval: {
            /** @example 2026-02-25T23:38:03+01:00 */
            Start: components["schemas"]["Timestamp"];
            /**
             * @description Not included; null: it reaches now.
             * @example 2026-02-25T23:38:03+01:00
             */
            End: components["schemas"]["Timestamp"] | null;
            /**
             * @description As users saw it.
             * @example Up
             * @enum {string}
             */
            Status: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description Whole seconds from Start to End; those of a device add up to its period.
             * @example 3600
             */
            Seconds: number;
            /**
             * @description Several intervals shorter than Resolution, under the worst of their statuses.
             * @example true
             * @constant
             */
            Mixed?: true;
        };
        /**
         * @description The uptime of a device in a period.
         * @example {
         *       "Uptime": {
         *         "UpSeconds": 2415288,
         *         "DownSeconds": 312,
         *         "MaintenanceSeconds": 3600,
         *         "UnknownSeconds": 0,
         *         "Outages": 1,
         *         "Percent": 99.987084,
         *         "ExcludedSeconds": 0,
         *         "ExcludedOutages": 0
         *       }
         *     }
         */
        Uptime: {
            /**
             * @description Seconds of each state in the period; they add up to it.
             * @example {
             *       "UpSeconds": 2415288,
             *       "DownSeconds": 312,
             *       "MaintenanceSeconds": 3600,
             *       "UnknownSeconds": 0,
             *       "Outages": 1,
             *       "Percent": 99.987084,
             *       "ExcludedSeconds": 0,
             *       "ExcludedOutages": 0
             *     }
             */
            Uptime: {
                /**
                 * @description Seconds in which the device was Up.
                 * @example 2415288
                 */
                UpSeconds: number;
                /**
                 * @description Seconds in which the device was Down.
                 * @example 312
                 */
                DownSeconds: number;
                /**
                 * @description Seconds of maintenance; they count neither as up nor as down.
                 * @example 3600
                 */
                MaintenanceSeconds: number;
                /**
                 * @description Nobody observed it.
                 * @example 0
                 */
                UnknownSeconds: number;
                /**
                 * @description Outages that touch the period, without the excluded ones.
                 * @example 1
                 */
                Outages: number;
                /**
                 * @description UpSeconds / (UpSeconds + DownSeconds) in percent, rounded to six decimals; null where both are 0.
                 * @example 99.97
                 */
                Percent: number | null;
                /**
                 * @description Down in outages that people excluded; it counts neither as up nor as down. The five add up to the period.
                 * @example 0
                 */
                ExcludedSeconds: number;
                /**
                 * @description Excluded outages that touch the period.
                 * @example 0
                 */
                ExcludedOutages: number;
            };
        };
        /**
         * @description The uptime of one of many devices in a period.
         * @example {
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Uptime": {
         *         "UpSeconds": 2415288,
         *         "DownSeconds": 312,
         *         "MaintenanceSeconds": 3600,
         *         "UnknownSeconds": 0,
         *         "Outages": 1,
         *         "Percent": 99.987084,
         *         "ExcludedSeconds": 0,
         *         "ExcludedOutages": 0
         *       }
         *     }
         */
        UptimeOfDevice: {
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description Seconds of each state in the period; they add up to it.
             * @example {
             *       "UpSeconds": 2415288,
             *       "DownSeconds": 312,
             *       "MaintenanceSeconds": 3600,
             *       "UnknownSeconds": 0,
             *       "Outages": 1,
             *       "Percent": 99.987084,
             *       "ExcludedSeconds": 0,
             *       "ExcludedOutages": 0
             *     }
             */
            Uptime: {
                /**
                 * @description Seconds in which the device was Up.
                 * @example 2415288
                 */
                UpSeconds: number;
                /**
                 * @description Seconds in which the device was Down.
                 * @example 312
                 */
                DownSeconds: number;
                /**
                 * @description Seconds of maintenance; they count neither as up nor as down.
                 * @example 3600
                 */
                MaintenanceSeconds: number;
                /**
                 * @description Nobody observed it.
                 * @example 0
                 */
                UnknownSeconds: number;
                /**
                 * @description Outages that touch the period, without the excluded ones.
                 * @example 1
                 */
                Outages: number;
                /**
                 * @description UpSeconds / (UpSeconds + DownSeconds) in percent, rounded to six decimals; null where both are 0.
                 * @example 99.97
                 */
                Percent: number | null;
                /**
                 * @description Down in outages that people excluded; it counts neither as up nor as down. The five add up to the period.
                 * @example 0
                 */
                ExcludedSeconds: number;
                /**
                 * @description Excluded outages that touch the period.
                 * @example 0
                 */
                ExcludedOutages: number;
            };
        };
        /**
         * @description Figures of one Location in one bucket of time.
         * @example {
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "Location": "local",
         *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Count": 3,
         *       "Retries": 2,
         *       "OnRequest": 0,
         *       "Errors": 0,
         *       "Inconclusive": 0,
         *       "Availability": 99.97,
         *       "Loss": 0,
         *       "MinTime": 31.5,
         *       "MeanTime": 48.9,
         *       "MaxTime": 210.4,
         *       "P50": 44.7,
         *       "P90": 71.2,
         *       "P95": 88.6,
         *       "P99": 140.3,
         *       "Phases": {
         *         "DNSTime": {
         *           "Mean": 1.4,
         *           "P50": 1.2,
         *           "P95": 2.3
         *         },
         *         "ConnectTime": {
         *           "Mean": 1.4,
         *           "P50": 1.2,
         *           "P95": 2.3
         *         },
         *         "SSLTime": {
         *           "Mean": 1.4,
         *           "P50": 1.2,
         *           "P95": 2.3
         *         },
         *         "TTFB": {
         *           "Mean": 1.4,
         *           "P50": 1.2,
         *           "P95": 2.3
         *         },
         *         "TTLB": {
         *           "Mean": 1.4,
         *           "P50": 1.2,
         *           "P95": 2.3
         *         }
         *       },
         *       "Histogram": [
         *         [
         *           12.4,
         *           55
         *         ],
         *         [
         *           12.9,
         *           5
         *         ]
         *       ]
         *     }
         */
        Statistics: {
            /**
             * @description Begin of the bucket.
             * @example 2026-02-25T23:38:03+01:00
             */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            location_id: components["schemas"]["Id"] | null;
            /**
             * @description Regular checks. Errors, Availability, Loss and all times are of these only.
             * @example 3
             */
            Count: number;
            /**
             * @description Retries after an error; not in Count.
             * @example 2
             */
            Retries: number;
            /**
             * @description Checks that somebody or the controller requested; not in Count.
             * @example 0
             */
            OnRequest: number;
            /**
             * @description Checks that found an error (ResultCode 2 to 8).
             * @example 0
             */
            Errors: number;
            /**
             * @description Checks that say nothing about the device (ResultCode 9 and 10).
             * @example 0
             */
            Inconclusive: number;
            /**
             * @description Percent of good checks among those that say something; null: there is none.
             * @example 99.97
             */
            Availability: number | null;
            /**
             * @description Percent of PING packets lost; null: none was sent.
             * @example 0
             */
            Loss: number | null;
            /**
             * @description Least RequestTime of good checks, milliseconds.
             * @example 31.5
             */
            MinTime: number | null;
            /**
             * @description Mean RequestTime of good checks, milliseconds.
             * @example 48.9
             */
            MeanTime: number | null;
            /**
             * @description Greatest RequestTime of good checks, milliseconds.
             * @example 210.4
             */
            MaxTime: number | null;
            /**
             * @description Percentiles of RequestTime, within 2 percent.
             * @example 44.7
             */
            P50: number | null;
            /**
             * @description 90 percent of the good checks took at most this many milliseconds.
             * @example 71.2
             */
            P90: number | null;
            /**
             * @description 95 percent of the good checks took at most this many milliseconds.
             * @example 88.6
             */
            P95: number | null;
            /**
             * @description 99 percent of the good checks took at most this many milliseconds.
             * @example 140.3
             */
            P99: number | null;
            /**
             * @description With=Phases: the phases of good checks, milliseconds. Null: there was no good check, or its phases are not kept.
             * @example {
             *       "DNSTime": {
             *         "Mean": 1.4,
             *         "P50": 1.2,
             *         "P95": 2.3
             *       },
             *       "ConnectTime": {
             *         "Mean": 1.4,
             *         "P50": 1.2,
             *         "P95": 2.3
             *       },
             *       "SSLTime": {
             *         "Mean": 1.4,
             *         "P50": 1.2,
             *         "P95": 2.3
             *       },
             *       "TTFB": {
             *         "Mean": 1.4,
             *         "P50": 1.2,
             *         "P95": 2.3
             *       },
             *       "TTLB": {
             *         "Mean": 1.4,
             *         "P50": 1.2,
             *         "P95": 2.3
             *       }
             *     }
             */
            Phases?: {
                /**
                 * @description Milliseconds until the name was resolved; 0 where there was no name to resolve.
                 * @example 4.1
                 */
                DNSTime: components["schemas"]["PhaseStatistics"];
                /**
                 * @description Milliseconds from the first attempt to the connection that was used; 0 where there was none.
                 * @example 11.2
                 */
                ConnectTime: components["schemas"]["PhaseStatistics"];
                /**
                 * @description Milliseconds of the TLS handshake; 0 without TLS.
                 * @example 22.6
                 */
                SSLTime: components["schemas"]["PhaseStatistics"];
                /** @example 9.4 */
                TTFB: components["schemas"]["PhaseStatistics"];
                /** @example 1.6 */
                TTLB: components["schemas"]["PhaseStatistics"];
            } | null;
            /**
             * @description With=Histogram: how many good checks had a RequestTime up to so many milliseconds and more than the entry before, as [UpTo, Count]. Each UpTo is on a scale of steps of 4 percent; empty ones are left out.
             * @example [
             *       [
             *         12.4,
             *         55
             *       ],
             *       [
             *         12.9,
             *         5
             *       ]
             *     ]
             */
            Histogram?: number[][];
        };
        /**
         * @description The times of one phase over a bucket.
         * @example {
         *       "Mean": 1.4,
         *       "P50": 1.2,
         *       "P95": 2.3
         *     }
         */
        PhaseStatistics: {
            /**
             * @description Mean of good checks, milliseconds; a check without the phase counts as 0.
             * @example 1.4
             */
            Mean: number | null;
            /**
             * @description Percentiles, within 2 percent.
             * @example 1.2
             */
            P50: number | null;
            /**
             * @description 95 percent of the good checks took at most this many milliseconds.
             * @example 2.3
             */
            P95: number | null;
        };
        /**
         * @description A tag as lists show it.
         * @example {
         *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "shop",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        TagEntry: {
            /**
             * @description Id of the tag.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            tag_id: components["schemas"]["Id"];
            /**
             * @description Name of the tag.
             * @example shop
             */
            Name: string;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description A tag with its devices.
         * @example {
         *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "shop",
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Devices": [
         *         {
         *           "Status": "Up",
         *           "URL": "https://www.example.com/",
         *           "Method": "HTTP",
         *           "Frequency": 5,
         *           "FrequencySeconds": null,
         *           "LastCheckResult": "200 OK",
         *           "StatusSince": "2026-02-25T23:38:03+01:00",
         *           "ShortName": "web-1",
         *           "FullName": "Web shop, front page",
         *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "ExternalKey": "cmdb-4711",
         *           "Enabled": true,
         *           "Severity": "critical",
         *           "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *           "Retrying": false,
         *           "DownBecause": null,
         *           "Source": "net/berlin"
         *         }
         *       ]
         *     }
         */
        Tag: {
            /**
             * @description Id of the tag.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly tag_id: components["schemas"]["Id"];
            /**
             * @description Name of the tag.
             * @example shop
             */
            Name: string;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
            /** @description All devices of the tag. */
            readonly Devices: components["schemas"]["DeviceEntry"][];
        };
        /**
         * @description The account of the key.
         * @example {
         *       "account_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "Example Ltd",
         *       "Timezone": "Europe/Berlin",
         *       "DefaultLocations": [
         *         "local"
         *       ],
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "RetentionDays": 90
         *     }
         */
        Account: {
            /**
             * @description Id of the account.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly account_id: components["schemas"]["Id"];
            /**
             * @description Read-only; the operator's.
             * @example Example Ltd
             */
            readonly Name: string;
            /**
             * @description IANA name; timestamps are shown in it.
             * @example Europe/Berlin
             */
            Timezone: string;
            /**
             * @description Locations of devices that name none; null: the one named local, also while it does not exist yet; []: none.
             * @example [
             *       "local"
             *     ]
             */
            DefaultLocations: string[] | null;
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id: string | null;
            /**
             * @description How long raw checks are kept; the operator's setting.
             * @example 90
             */
            readonly RetentionDays: number;
        };
        /**
         * @description A place from which agents check devices.
         * @example {
         *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "local",
         *       "ExternalKey": "cmdb-4711",
         *       "Anchors": [
         *         {
         *           "Name": "gateway",
         *           "Target": "192.0.2.1",
         *           "Networks": [
         *             "198.51.100.0/24"
         *           ]
         *         }
         *       ],
         *       "AnchorStates": [
         *         {
         *           "Name": "gateway",
         *           "State": "Up",
         *           "Reason": null
         *         }
         *       ],
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "PublicTargetsOnly": false,
         *       "Online": true,
         *       "OfflineReason": null,
         *       "Agents": {
         *         "Count": 2,
         *         "Connected": 2
         *       },
         *       "Load": {
         *         "Devices": 61,
         *         "ChecksPerMinute": 12.2,
         *         "Capacity": 60000
         *       },
         *       "Source": "net/berlin"
         *     }
         */
        Location: {
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly location_id: components["schemas"]["Id"];
            /**
             * @description Name of the Location, or of an anchor.
             * @example local
             */
            Name: string;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description Hosts on the way to the devices, near to far.
             * @example [
             *       {
             *         "Name": "gateway",
             *         "Target": "192.0.2.1",
             *         "Networks": [
             *           "198.51.100.0/24"
             *         ]
             *       }
             *     ]
             */
            Anchors: {
                /**
                 * @description Name of the Location, or of an anchor.
                 * @example local
                 */
                Name: string;
                /**
                 * @description What the agents of the Location check: an IP address, or an IP address and a port.
                 * @example 192.0.2.1
                 */
                Target: string;
                /**
                 * @description What lies behind the anchor, in CIDR form.
                 * @example [
                 *       "198.51.100.0/24"
                 *     ]
                 */
                Networks: string[];
            }[];
            /**
             * @description The anchors as the connected agents find them.
             * @example [
             *       {
             *         "Name": "gateway",
             *         "State": "Up",
             *         "Reason": null
             *       }
             *     ]
             */
            readonly AnchorStates: {
                /**
                 * @description Name of the anchor.
                 * @example gateway
                 */
                Name: string;
                /**
                 * @description Unknown: no connected agent has checked it, or can.
                 * @example Up
                 * @enum {string}
                 */
                State: "Up" | "Down" | "Unknown";
                /**
                 * @description Why it is Down or Unknown, as an agent says; null: it is Up, or nobody says why.
                 * @example null
                 */
                Reason: string | null;
            }[];
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id: string | null;
            /**
             * @description Agents of the Location check no private addresses.
             * @example false
             */
            PublicTargetsOnly: boolean;
            /**
             * @description An agent of the Location is connected and runs its checks.
             * @example true
             */
            readonly Online: boolean;
            /**
             * @description Why it is offline; null when it is online or nobody knows.
             * @example null
             */
            readonly OfflineReason: string | null;
            /**
             * @description Agents of the Location.
             * @example {
             *       "Count": 2,
             *       "Connected": 2
             *     }
             */
            readonly Agents: {
                /**
                 * @description Number of them.
                 * @example 3
                 */
                Count: number;
                /**
                 * @description Agents that are connected now.
                 * @example 2
                 */
                Connected: number;
            };
            /**
             * @description What the Location has to do.
             * @example {
             *       "Devices": 61,
             *       "ChecksPerMinute": 12.2,
             *       "Capacity": 60000
             *     }
             */
            readonly Load: {
                /**
                 * @description Devices that it checks.
                 * @example 61
                 */
                Devices: number;
                /**
                 * @description Regular checks that its devices ask for.
                 * @example 12.2
                 */
                ChecksPerMinute: number;
                /**
                 * @description Checks a minute that its connected agents can run.
                 * @example 60000
                 */
                Capacity: number;
            };
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description An agent: the program that runs the checks of its Location.
         * @example {
         *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Location": "local",
         *       "Name": "agent-1",
         *       "HostName": "edge-1.example.com",
         *       "Version": "0.2.0",
         *       "State": "Connected",
         *       "LastSeen": "2026-02-25T23:38:03+01:00",
         *       "ClockOffset": 0.8,
         *       "Backlog": 0,
         *       "Lateness": {
         *         "p50": 1.2,
         *         "p99": 9.8
         *       },
         *       "Capacity": 60000,
         *       "Load": 12.2,
         *       "OfflineReason": null,
         *       "CertificateEnd": "2026-02-25T23:38:03+01:00",
         *       "Upgrade": {
         *         "Version": "0.3.0",
         *         "State": "Failed",
         *         "Since": "2026-02-25T22:38:03+00:00",
         *         "Reason": "version 0.3.0 did not connect and report within 120 s"
         *       }
         *     }
         */
        Agent: {
            /**
             * @description Id of the agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly agent_id: components["schemas"]["Id"];
            /**
             * @description Name of the Location.
             * @example local
             */
            Location: string;
            /**
             * @description Name of the agent.
             * @example agent-1
             */
            Name: string;
            /**
             * @description The host's name, as the agent reports it.
             * @example edge-1.example.com
             */
            readonly HostName: string | null;
            /**
             * @description The agent's version; null before its first connection.
             * @example 0.2.0
             */
            readonly Version: string | null;
            /**
             * @description New: invited, not connected yet. Expired: its invitation was not used within 15 minutes and is refused; invite again, and DELETE removes this one.
             * @example Connected
             * @enum {string}
             */
            readonly State: "New" | "Connected" | "Away" | "Fenced" | "Revoked" | "Expired";
            /**
             * @description When a controller last heard of the agent; null: never.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastSeen: components["schemas"]["Timestamp"] | null;
            /**
             * @description Controller minus agent, milliseconds.
             * @example 0.8
             */
            readonly ClockOffset: number;
            /**
             * @description Records that wait on its disk.
             * @example 0
             */
            readonly Backlog: number;
            /**
             * @description Start after due time, milliseconds.
             * @example {
             *       "p50": 1.2,
             *       "p99": 9.8
             *     }
             */
            readonly Lateness: {
                /**
                 * @description Half of the checks started at most this late, milliseconds.
                 * @example 1.2
                 */
                p50: number;
                /**
                 * @description 99 percent of the checks started at most this late, milliseconds.
                 * @example 9.8
                 */
                p99: number;
            };
            /**
             * @description Checks a minute it can run.
             * @example 60000
             */
            readonly Capacity: number;
            /**
             * @description Checks a minute of the devices it holds.
             * @example 12.2
             */
            readonly Load: number;
            /**
             * @description Why it cannot see; null when it can.
             * @example null
             */
            readonly OfflineReason: string | null;
            /**
             * @description When its certificate ends. The agent renews it before. null: it has not enrolled.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CertificateEnd: components["schemas"]["Timestamp"] | null;
            /**
             * @description The latest upgrade that was asked for; null: none.
             * @example {
             *       "Version": "0.3.0",
             *       "State": "Failed",
             *       "Since": "2026-02-25T22:38:03+00:00",
             *       "Reason": "version 0.3.0 did not connect and report within 120 s"
             *     }
             */
            readonly Upgrade: {
                /**
                 * @description The version that was asked for.
                 * @example 0.3.0
                 */
                Version: string;
                /**
                 * @description Waiting: its share of the rollout has not begun, or it is not connected. Done: it runs the version. Failed: it runs its version from before. Stopped: another agent of the rollout failed before.
                 * @enum {string}
                 */
                State: "Waiting" | "Started" | "Downloading" | "Restarting" | "Done" | "Failed" | "Stopped";
                /**
                 * @description Why it failed or stopped.
                 * @example version 0.3.0 did not connect and report within 120 s
                 */
                Reason: string | null;
                /** @description When the state began. */
                Since: components["schemas"]["Timestamp"];
            } | null;
        };
        /**
         * @description An invited agent, with the lines that install it on a host.
         * @example {
         *       "invitation_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Token": "5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e4",
         *       "Expires": "2026-02-25T23:38:03+01:00",
         *       "Command": "sh -c '…curl -sSk --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444",
         *       "CommandWget": "sh -c '…wget -nv --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444"
         *     }
         */
        Invitation: {
            /**
             * @description The id of the agent that the invitation made.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            invitation_id: components["schemas"]["Id"];
            /**
             * @description Id of the agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            agent_id: components["schemas"]["Id"];
            /**
             * @description Enrols the agent, once. No later answer shows it.
             * @example 5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e4
             */
            Token: string;
            /**
             * @description After this the token is refused.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires: components["schemas"]["Timestamp"];
            /**
             * @description The line that installs the agent, for hosts with curl.
             * @example sh -c '…curl -sSk --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444
             */
            Command: string;
            /**
             * @description The same for hosts with GNU wget.
             * @example sh -c '…wget -nv --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444
             */
            CommandWget: string;
        };
        /**
         * @description Where notifications go, without its secrets.
         * @example {
         *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "Operations",
         *       "Type": "email",
         *       "Address": "noc@example.org",
         *       "Options": {
         *         "To": "+4712345678",
         *         "Body": "{\"text\": \"{{Text}}\"}",
         *         "ContentType": "application/json",
         *         "SecretHeader": "X-Api-Key"
         *       },
         *       "Notify": null,
         *       "Shadow": false,
         *       "ExternalKey": "cmdb-4711",
         *       "PreviousSecretUntil": null,
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Source": "net/berlin"
         *     }
         */
        Contact: {
            /**
             * @description Id of the contact.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly contact_id: components["schemas"]["Id"];
            /**
             * @description Name of the contact.
             * @example Operations
             */
            Name: string;
            /**
             * @description How messages reach it.
             * @example email
             * @enum {string}
             */
            Type: "email" | "webhook" | "slack" | "teams" | "pagerduty" | "jsm" | "alertmanager" | "ntfy" | "telegram" | "sms" | "template" | "discord" | "gotify" | "matrix" | "mattermost" | "opsgenie" | "pushover" | "rocketchat" | "servicenow" | "signal" | "zulip";
            /**
             * @description Credentials are `***`.
             * @example noc@example.org
             */
            Address: string;
            /** @description Settings of the Method. */
            Options: components["schemas"]["ContactOptionsOutput"];
            /**
             * @description Kinds of messages that it gets; null: all.
             * @example null
             */
            Notify: ("device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old" | "acknowledged")[] | null;
            /**
             * @description It gets nothing. Every decision and message for it is recorded, so that you can compare them with another system (GET /alerts?Shadow=Y).
             * @example false
             */
            Shadow: boolean;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description The secret before the last rotation also signs until then; null: there is none.
             * @example null
             */
            readonly PreviousSecretUntil: components["schemas"]["Timestamp"] | null;
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt: components["schemas"]["Timestamp"];
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description What came of a test message.
         * @example {
         *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Delivered": true,
         *       "Answer": "200 OK"
         *     }
         */
        ContactTest: {
            /**
             * @description Id of the contact.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            contact_id: components["schemas"]["Id"];
            /** @description Whether the receiver accepted the message. */
            Delivered: boolean;
            /**
             * @description What the receiver said, or why the message did not reach it.
             * @example 200 OK
             */
            Answer: string;
        };
        /**
         * @description The new secret of a contact.
         * @example {
         *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
         *     }
         */
        RotatedSecret: {
            /**
             * @description Id of the contact.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            contact_id: components["schemas"]["Id"];
            /**
             * @description The new secret. No later answer shows it.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            Secret: string;
        };
        /**
         * @description A message to a contact, and how it went.
         * @example {
         *       "delivery_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "Kind": "device.down",
         *       "Severity": "critical",
         *       "At": "2026-02-25T23:38:03+01:00",
         *       "State": "Delivered",
         *       "Ended": "2026-02-25T23:38:04+01:00",
         *       "MergedInto": null,
         *       "Attempts": [
         *         {
         *           "At": "2026-02-25T23:38:03+01:00",
         *           "Answer": "HTTP 204 No Content"
         *         }
         *       ]
         *     }
         */
        Delivery: {
            /**
             * @description Receivers know the message by it (webhook-id, Message-ID).
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            delivery_id: components["schemas"]["Id"];
            /**
             * @description null: the message is about no alert.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            alert_id: components["schemas"]["Id"] | null;
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"] | null;
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName: string | null;
            /**
             * @description What it says.
             * @example device.down
             */
            Kind: string;
            /**
             * @description Of the message.
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description When it was decided.
             * @example 2026-02-25T23:38:03+01:00
             */
            At: components["schemas"]["Timestamp"];
            /**
             * @description State of the agent.
             * @example Delivered
             * @enum {string}
             */
            State: "Pending" | "Delivered" | "Failed" | "Withdrawn" | "Shadow";
            /**
             * @description When it reached its last state; null: it is Pending.
             * @example 2026-02-25T23:38:04+01:00
             */
            Ended: components["schemas"]["Timestamp"] | null;
            /**
             * @description The delivery that carries it; null: its own message does.
             * @example null
             */
            MergedInto: components["schemas"]["Id"] | null;
            /**
             * @description The attempts to deliver it, oldest first, at most the latest 20.
             * @example [
             *       {
             *         "At": "2026-02-25T23:38:03+01:00",
             *         "Answer": "HTTP 204 No Content"
             *       }
             *     ]
             */
            Attempts: {
                /** @example 2026-02-25T23:38:03+01:00 */
                At: components["schemas"]["Timestamp"];
                /**
                 * @description What the receiver said.
                 * @example HTTP 204 No Content
                 */
                Answer: string;
            }[];
        };
        /**
         * @description A message that is sent again.
         * @example {
         *       "delivery_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *     }
         */
        DeliveryRepeated: {
            /**
             * @description The new delivery.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            delivery_id: components["schemas"]["Id"];
        };
        /**
         * @description A message that a schedule would send.
         * @example {
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "Steps": [
         *         1
         *       ],
         *       "Repeat": false,
         *       "Contacts": [
         *         {
         *           "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "Operations"
         *         }
         *       ],
         *       "NotNotified": [],
         *       "Text": "Mon 08:00, after 4 h 50 min: Operations."
         *     }
         */
        PreviewedMessage: {
            /** @example 2026-02-25T23:38:03+01:00 */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Which steps send it, from 1.
             * @example [
             *       1
             *     ]
             */
            Steps: number[];
            /**
             * @description These steps have sent one before.
             * @example false
             */
            Repeat: boolean;
            /**
             * @description Who is notified.
             * @example [
             *       {
             *         "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "Operations"
             *       }
             *     ]
             */
            Contacts: {
                /**
                 * @description Id of the contact.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[];
            /**
             * @description Contacts of these steps that are not notified, each with the reason.
             * @example []
             */
            NotNotified: {
                /**
                 * @description Id of the contact.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
                Reason: string;
            }[];
            /**
             * @description The same in a sentence, in the schedule's zone.
             * @example Mon 08:00, after 4 h 50 min: Operations.
             */
            Text: string;
        };
        /**
         * @description Who is notified, when and how often.
         * @example {
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "Office hours",
         *       "Timezone": "Europe/Berlin",
         *       "Steps": [
         *         {
         *           "DelayMinutes": 0,
         *           "Contacts": [
         *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           ],
         *           "Days": [
         *             "Mon",
         *             "Tue"
         *           ],
         *           "From": "08:00",
         *           "To": "18:00"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        NotificationSchedule: {
            /**
             * @description Id of the notification schedule.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly nschedule_id: components["schemas"]["Id"];
            /**
             * @description Name of the schedule.
             * @example Office hours
             */
            Name: string;
            /**
             * @description IANA name of the time zone.
             * @example Europe/Berlin
             */
            Timezone: string;
            /**
             * @description Whom it notifies when; what is not set is absent.
             * @example [
             *       {
             *         "DelayMinutes": 0,
             *         "Contacts": [
             *           "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
             *         ],
             *         "Days": [
             *           "Mon",
             *           "Tue"
             *         ],
             *         "From": "08:00",
             *         "To": "18:00"
             *       }
             *     ]
             */
            Steps: {
                DelayMinutes: number;
                Contacts: string[];
                Days?: ("Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun")[];
                From?: string;
                To?: string;
                RepeatMinutes?: number;
                Severities?: ("critical" | "warning" | "info")[];
            }[];
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description Maintenance windows that recur.
         * @example {
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "Patch Sunday",
         *       "Timezone": "Europe/Berlin",
         *       "Start": "2026-03-01T02:00",
         *       "Duration": "02:00",
         *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
         *       "EndOnFirstOk": false,
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin"
         *     }
         */
        MaintenanceSchedule: {
            /**
             * @description Id of the maintenance schedule.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly mschedule_id: components["schemas"]["Id"];
            /**
             * @description Name of the schedule.
             * @example Patch Sunday
             */
            Name: string;
            /**
             * @description IANA name of the time zone.
             * @example Europe/Berlin
             */
            Timezone: string;
            /**
             * @description Begin of the first window, on the clocks of Timezone.
             * @example 2026-03-01T02:00
             */
            Start: string;
            /**
             * @description How long each window lasts, HH:MM.
             * @example 02:00
             */
            Duration: string;
            /**
             * @description A rule of RFC 5545; null: once, at Start.
             * @example FREQ=WEEKLY;BYDAY=SU
             */
            Recurrence: string | null;
            /**
             * @description The first good check after a bad one inside a window ends it.
             * @example false
             */
            EndOnFirstOk: boolean;
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
        };
        /**
         * @description A window of a maintenance schedule, or a time that the clocks skip.
         * @example {
         *       "LocalStart": "2026-03-01T02:00",
         *       "Start": "2026-02-25T23:38:03+01:00",
         *       "End": "2026-02-25T23:38:03+01:00",
         *       "Note": null
         *     }
         */
        MaintenanceWindow: {
            /**
             * @description Its begin on the clocks of the schedule's zone.
             * @example 2026-03-01T02:00
             */
            LocalStart: string;
            /**
             * @description null: the clocks skip this time, so there is no window.
             * @example 2026-02-25T23:38:03+01:00
             */
            Start: components["schemas"]["Timestamp"] | null;
            /**
             * @description Its end; null: there is no window.
             * @example 2026-02-25T23:38:03+01:00
             */
            End: components["schemas"]["Timestamp"] | null;
            /**
             * @description What a change of the clocks does to it; null: nothing.
             * @example null
             */
            Note: string | null;
        };
        /**
         * @description A secret without its value.
         * @example {
         *       "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "API_SECRET",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00"
         *     }
         */
        Secret: {
            /**
             * @description Id of the secret.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly secret_id: components["schemas"]["Id"];
            /**
             * @description Name of the secret.
             * @example API_SECRET
             */
            Name: string;
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt: components["schemas"]["Timestamp"];
        };
        /**
         * @description What became of the alerts.
         * @example {
         *       "Matched": 3,
         *       "Changed": 2,
         *       "Refused": [
         *         {
         *           "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Reason": "The alert is closed."
         *         }
         *       ]
         *     }
         */
        AlertsChanged: {
            /**
             * @description How many alerts were meant.
             * @example 3
             */
            Matched: number;
            /**
             * @description How many of them were open, and are changed now.
             * @example 2
             */
            Changed: number;
            /**
             * @description Those of Alerts that were not changed, each with the reason.
             * @example [
             *       {
             *         "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Reason": "The alert is closed."
             *       }
             *     ]
             */
            Refused: {
                /**
                 * @description Id of the alert.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                alert_id: string;
                Reason: string;
            }[];
        };
        /**
         * @description A decision to notify people.
         * @example {
         *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Kind": "device.down",
         *       "State": "Open",
         *       "Opened": "2026-02-25T23:38:03+01:00",
         *       "Closed": null,
         *       "Since": "2026-02-25T23:38:03+01:00",
         *       "Severity": "critical",
         *       "Reason": "its master gw is Down",
         *       "Shadow": true,
         *       "Location": "local",
         *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "CheckResult": "200 OK",
         *       "Acknowledged": {
         *         "By": "deploy",
         *         "Note": "on it",
         *         "At": "2026-02-25T23:38:03+01:00"
         *       },
         *       "SnoozedUntil": null,
         *       "Notifications": [
         *         {
         *           "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "noc",
         *           "Kind": "device.down",
         *           "At": "2026-02-25T23:38:03+01:00",
         *           "Step": 1,
         *           "State": "Delivered",
         *           "Attempts": [
         *             {
         *               "At": "2026-02-25T23:38:04+01:00",
         *               "Answer": "HTTP 204 No Content"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        Alert: {
            /**
             * @description Id of the alert.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            alert_id: components["schemas"]["Id"];
            /**
             * @description null: the alert is about a Location or an agent.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            device_id: components["schemas"]["Id"] | null;
            /**
             * @description The device's name; null where there is no device.
             * @example web-1
             */
            ShortName: string | null;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description What it is about.
             * @example device.down
             * @enum {string}
             */
            Kind: "device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old";
            /**
             * @description Closed: what it is about has ended.
             * @example Open
             * @enum {string}
             */
            State: "Open" | "Acknowledged" | "Snoozed" | "Closed";
            /**
             * @description When an event opened it.
             * @example 2026-02-25T23:38:03+01:00
             */
            Opened: components["schemas"]["Timestamp"];
            /**
             * @description When it ended; null while it is open.
             * @example null
             */
            Closed: components["schemas"]["Timestamp"] | null;
            /**
             * @description Begin of the outage.
             * @example 2026-02-25T23:38:03+01:00
             */
            Since: components["schemas"]["Timestamp"];
            /**
             * @description Of the device.
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description Why it is as it is, for example which master suppresses it; null: as usual.
             * @example its master gw is Down
             */
            Reason: string | null;
            /** @description It has messages for contacts in shadow: they are recorded and were not sent. */
            Shadow: boolean;
            /**
             * @description Location of the failure, or that the alert is about.
             * @example local
             */
            Location: string | null;
            /**
             * @description Id of the Location.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            location_id: components["schemas"]["Id"] | null;
            /**
             * @description The result in one line for people.
             * @example 200 OK
             */
            CheckResult: string | null;
            /**
             * @description Who acknowledged it; null: nobody.
             * @example {
             *       "By": "deploy",
             *       "Note": "on it",
             *       "At": "2026-02-25T23:38:03+01:00"
             *     }
             */
            Acknowledged: {
                /**
                 * @description Name of the API key, or of the contact.
                 * @example deploy
                 */
                By: string;
                /**
                 * @description Note of whoever acknowledged.
                 * @example on it
                 */
                Note: string | null;
                At: components["schemas"]["Timestamp"];
            } | null;
            /**
             * @description End of the snooze; null while there is none.
             * @example null
             */
            SnoozedUntil: components["schemas"]["Timestamp"] | null;
            /**
             * @description Its messages, oldest first.
             * @example [
             *       {
             *         "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "noc",
             *         "Kind": "device.down",
             *         "At": "2026-02-25T23:38:03+01:00",
             *         "Step": 1,
             *         "State": "Delivered",
             *         "Attempts": [
             *           {
             *             "At": "2026-02-25T23:38:04+01:00",
             *             "Answer": "HTTP 204 No Content"
             *           }
             *         ]
             *       }
             *     ]
             */
            Notifications: {
                /**
                 * @description Id of the contact.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: components["schemas"]["Id"];
                /**
                 * @description Of the contact.
                 * @example noc
                 */
                Name: string;
                /**
                 * @description What it says.
                 * @example device.down
                 */
                Kind: string;
                /** @description When it was decided. */
                At: components["schemas"]["Timestamp"];
                /**
                 * @description The step of the schedule that sent it, from 1; null: it came by none, as the end of an alert does.
                 * @example 1
                 */
                Step: number | null;
                /**
                 * @description How far it is. Shadow: it is recorded only, because the contact is in shadow.
                 * @enum {string}
                 */
                State: "Pending" | "Delivered" | "Failed" | "Withdrawn" | "Shadow";
                Attempts: {
                    At: components["schemas"]["Timestamp"];
                    /** @description What the receiver said. */
                    Answer: string;
                }[];
            }[];
        };
        /**
         * @description A new key, which is shown once.
         * @example {
         *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Key": "3f1c9a7e52d04b86a0c17e5f9d2b4863e8a1f0c5d7b92e4630f8d1a7c6e5b294"
         *     }
         */
        IssuedKey: {
            /**
             * @description Id of the key; not the key itself.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            key_id: components["schemas"]["Id"];
            /**
             * @description The key itself. It is shown here only, because the database keeps its hash.
             * @example 3f1c9a7e52d04b86a0c17e5f9d2b4863e8a1f0c5d7b92e4630f8d1a7c6e5b294
             */
            Key: string;
        };
        /**
         * @description A key of the API, without the key itself.
         * @example {
         *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "local",
         *       "Level": "UR",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Expires": "2026-02-25T23:38:03+01:00",
         *       "LastUsed": "2026-02-25T23:38:03+01:00",
         *       "LastAddress": "192.0.2.10",
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "CreatedBy": "admin"
         *     }
         */
        Key: {
            /**
             * @description Id of the key; not the key itself.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly key_id: components["schemas"]["Id"];
            /**
             * @description What the key is for; empty: nobody said it.
             * @example local
             */
            Name: string;
            /**
             * @description UR views; UO also acknowledges, snoozes, starts and stops maintenance and checks now; UW views and changes everything but keys; UA also manages keys.
             * @enum {string}
             */
            Level: "UR" | "UO" | "UW" | "UA";
            /**
             * @description The tags to which it is limited; null: it is not limited.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags: {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[] | null;
            /**
             * @description When the key stops working; null: never.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires: components["schemas"]["Timestamp"] | null;
            /**
             * @description The last use of the key or of a session of it, noted at most once a minute; null: none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastUsed: components["schemas"]["Timestamp"] | null;
            /**
             * @description The address of the caller then.
             * @example 192.0.2.10
             */
            readonly LastAddress: string | null;
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt: components["schemas"]["Timestamp"];
            /**
             * @description The name of the key that made it, or `command line`; null: it was made before this was noted.
             * @example admin
             */
            readonly CreatedBy: string | null;
        };
        /**
         * @description The link of an invitation, which is shown once.
         * @example {
         *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Link": "https://monitor.example.com/invitation/3f1c9a7e52d04b86…",
         *       "Expires": "2026-02-25T23:38:03+01:00"
         *     }
         */
        UserInvitation: {
            /**
             * @description Id of the person.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            user_id: components["schemas"]["Id"];
            /**
             * @description Where the person chooses a password, once, within 72 hours. It is shown here only; send it to nobody else.
             * @example https://monitor.example.com/invitation/3f1c9a7e52d04b86…
             */
            Link: string;
            /**
             * @description When the invitation ends.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires: components["schemas"]["Timestamp"];
        };
        /**
         * @description A person of the account.
         * @example {
         *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Name": "local",
         *       "Email": "ada@example.org",
         *       "Level": "UO",
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "SignIn": "Invited",
         *       "LastSeen": "2026-02-25T23:38:03+01:00",
         *       "CreatedAt": "2026-02-25T23:38:03+01:00"
         *     }
         */
        User: {
            /**
             * @description Id of the person.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly user_id: components["schemas"]["Id"];
            /**
             * @description Name of the person.
             * @example local
             */
            Name: string;
            /**
             * @description The e-mail address with which the person signs in.
             * @example ada@example.org
             */
            Email: string;
            /**
             * @description What the person may do; see the levels of keys.
             * @example UO
             * @enum {string}
             */
            Level: "UR" | "UO" | "UW" | "UA";
            /**
             * @description The tags to which it is limited; null: it is not limited.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags: {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[] | null;
            /**
             * @description How the person signs in; Invited: no invitation was accepted yet; Provider: by single sign-on only.
             * @enum {string}
             */
            readonly SignIn: "Invited" | "Password" | "Provider";
            /**
             * @description The last use of a session, noted at most once a minute; null: none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly LastSeen: components["schemas"]["Timestamp"] | null;
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt: components["schemas"]["Timestamp"];
        };
        /**
         * @description A sign-in by a browser.
         * @example {
         *       "Name": "control room",
         *       "Level": "UR",
         *       "Tags": [
         *         "berlin/rack-3"
         *       ],
         *       "Expires": "2026-02-25T23:38:03+01:00",
         *       "CsrfToken": "pQ2xW7mN0cR5tY8uVb3kZ1hJ6sD4fG9aLeTqXoIiUwE"
         *     }
         */
        Session: {
            /**
             * @description The name of the key or person; empty: the key has none.
             * @example control room
             */
            Name: string;
            /**
             * @description The rights of the key or person.
             * @enum {string}
             */
            Level: "UR" | "UO" | "UW" | "UA";
            /**
             * @description The names of the tags to which the key or person is limited; null: no limit.
             * @example [
             *       "berlin/rack-3"
             *     ]
             */
            Tags: string[] | null;
            /**
             * @description When the session ends if it is not used again. Each use puts it off: it ends 12 hours after the last one, and at the latest 30 days after it began.
             * @example 2026-02-25T23:38:03+01:00
             */
            Expires: components["schemas"]["Timestamp"];
            /**
             * @description Every request of the session that changes something must carry it in the header X-CSRF-Token.
             * @example pQ2xW7mN0cR5tY8uVb3kZ1hJ6sD4fG9aLeTqXoIiUwE
             */
            CsrfToken: string;
        };
        /**
         * @description A change of the account or of a thing of it.
         * @example {
         *       "audit_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Timestamp": "2026-02-25T23:38:03+01:00",
         *       "Actor": "deploy",
         *       "Address": "192.0.2.10",
         *       "Action": "Update",
         *       "Kind": "device",
         *       "Id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "Changes": [
         *         {
         *           "Field": "Timeout",
         *           "Old": 30,
         *           "New": 10
         *         }
         *       ]
         *     }
         */
        AuditEntry: {
            /**
             * @description Id of the entry.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            audit_id: components["schemas"]["Id"];
            /** @example 2026-02-25T23:38:03+01:00 */
            Timestamp: components["schemas"]["Timestamp"];
            /**
             * @description The API key's name (its id where it has no name), `command line`, or `stranger`, who signed in to nothing.
             * @example deploy
             */
            Actor: string;
            /**
             * @description Address of the caller; null for the command line.
             * @example 192.0.2.10
             */
            Address: string | null;
            /**
             * @description What happened. Refuse: a sign-in was refused.
             * @example Update
             * @enum {string}
             */
            Action: "Create" | "Update" | "Delete" | "Refuse";
            /**
             * @description What kind of thing changed.
             * @example device
             * @enum {string}
             */
            Kind: "account" | "key" | "location" | "agent" | "device" | "devices" | "tag" | "secret" | "contact" | "nschedule" | "mschedule" | "alert" | "session" | "user" | "maintenance" | "outage" | "delivery";
            /**
             * @description Id of the thing that changed, for example its device_id.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            Id: components["schemas"]["Id"];
            /**
             * @description The changed fields; of a deleted thing those by which people know it. Devices of a tag: the device that was attached (New) or detached (Old).
             * @example [
             *       {
             *         "Field": "Timeout",
             *         "Old": 30,
             *         "New": 10
             *       }
             *     ]
             */
            Changes: {
                /**
                 * @description The field's name.
                 * @example Timeout
                 */
                Field: string;
                /**
                 * @description As the API shows the field: a secret is `***`. null: no value. Of a longer value than 4,096 characters the beginning.
                 * @example 30
                 */
                Old: unknown;
                /**
                 * @description As the API shows the field: a secret is `***`. null: no value. Of a longer value than 4,096 characters the beginning.
                 * @example 10
                 */
                New: unknown;
            }[];
        };
        /**
         * @description The answers of all operations.
         * @example {
         *       "Results": [
         *         {
         *           "Status": 200,
         *           "Body": {
         *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
         *           },
         *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
         *         }
         *       ]
         *     }
         */
        BatchResults: {
            /** @description One for each operation, in the same order. */
            Results: components["schemas"]["OperationResult"][];
        };
        /**
         * @description Options of the Type, replaced as a whole; null: none.
         * @example {
         *       "To": "+4712345678",
         *       "Body": "{\"text\": \"{{Text}}\"}",
         *       "ContentType": "application/json",
         *       "SecretHeader": "X-Api-Key"
         *     }
         */
        ContactOptionsOutput: {
            /**
             * @description sms: the phone number with + and the country.
             * @example +4712345678
             */
            To?: string;
            /**
             * @description sms and template: the body, with names in the place of facts: {{Text}}, {{ShortName}} … (docs/contacts.md). Values are escaped as ContentType needs it.
             * @example {"text": "{{Text}}"}
             */
            Body?: string;
            /**
             * @description sms and template: what the Body is (default application/json).
             * @enum {string}
             */
            ContentType?: "application/json" | "application/x-www-form-urlencoded" | "text/plain" | "application/xml";
            /**
             * @description sms and template: the header that carries the Secret. Default Authorization; none where the Body has {{Secret}}.
             * @example X-Api-Key
             */
            SecretHeader?: string;
        } | null;
        /**
         * HTTP
         * @description A device with all its settings of Method HTTP.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "HTTP",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        DeviceHTTP: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "HTTP";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsHTTP"];
            /**
             * @description Older name of Options.Headers; with WithConfig=Y, for Method HTTP only.
             * @example {
             *       "headers": {
             *         "Accept-Language": "en"
             *       }
             *     }
             */
            HostData?: {
                /**
                 * @description HTTP request headers by name.
                 * @example {
                 *       "Accept-Language": "en"
                 *     }
                 */
                headers: {
                    [key: string]: string;
                };
            };
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "HTTP";
        };
        /**
         * PING
         * @description A device with all its settings of Method PING.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "PING",
         *       "Options": {
         *         "Count": 5,
         *         "MaxLossPercent": 20
         *       }
         *     }
         */
        DevicePING: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "PING";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsPING"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "PING";
        };
        /**
         * SMTP
         * @description A device with all its settings of Method SMTP.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "SMTP",
         *       "Options": {
         *         "TLS": {
         *           "Mode": "StartTLS",
         *           "MinDaysLeft": 14
         *         }
         *       }
         *     }
         */
        DeviceSMTP: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "SMTP";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsSMTP"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SMTP";
        };
        /**
         * POP3
         * @description A device with all its settings of Method POP3.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "POP3",
         *       "Options": {
         *         "ExpectBanner": "ready"
         *       }
         *     }
         */
        DevicePOP3: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "POP3";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsPOP3"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "POP3";
        };
        /**
         * MySQL
         * @description A device with all its settings of Method MySQL.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "MySQL",
         *       "Options": {
         *         "Query": "select count(*) from orders",
         *         "Password": "a password"
         *       }
         *     }
         */
        DeviceMySQL: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "MySQL";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsMySQL"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "MySQL";
        };
        /**
         * IMAP4
         * @description A device with all its settings of Method IMAP4.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "IMAP4",
         *       "Options": {
         *         "User": "monitor",
         *         "Password": "a password",
         *         "Mailbox": "INBOX"
         *       }
         *     }
         */
        DeviceIMAP4: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "IMAP4";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsIMAP4"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "IMAP4";
        };
        /**
         * FTP
         * @description A device with all its settings of Method FTP.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "FTP",
         *       "Options": {
         *         "Directory": "/pub",
         *         "List": true
         *       }
         *     }
         */
        DeviceFTP: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "FTP";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsFTP"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "FTP";
        };
        /**
         * TELNET
         * @description A device with all its settings of Method TELNET.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "TELNET",
         *       "Options": {
         *         "ExpectPrompt": "login:"
         *       }
         *     }
         */
        DeviceTELNET: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "TELNET";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsTELNET"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TELNET";
        };
        /**
         * SSH
         * @description A device with all its settings of Method SSH.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "SSH",
         *       "Options": {
         *         "ExpectBanner": "OpenSSH"
         *       }
         *     }
         */
        DeviceSSH: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "SSH";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsSSH"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SSH";
        };
        /**
         * NNTP
         * @description A device with all its settings of Method NNTP.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "NNTP",
         *       "Options": {
         *         "Group": "comp.lang.c"
         *       }
         *     }
         */
        DeviceNNTP: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "NNTP";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsNNTP"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "NNTP";
        };
        /**
         * TCP
         * @description A device with all its settings of Method TCP.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "TCP",
         *       "Options": {
         *         "Steps": [
         *           {
         *             "Send": "PING\r\n",
         *             "Expect": "+PONG"
         *           }
         *         ]
         *       }
         *     }
         */
        DeviceTCP: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "TCP";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsTCP"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TCP";
        };
        /**
         * DNS
         * @description A device with all its settings of Method DNS.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "DNS",
         *       "Options": {
         *         "Expect": [
         *           "192.0.2.80"
         *         ]
         *       }
         *     }
         */
        DeviceDNS: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "DNS";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsDNS"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "DNS";
        };
        /**
         * Script
         * @description A device with all its settings of Method Script.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
         *       "Method": "Script",
         *       "Options": {
         *         "SlowMs": 5000
         *       }
         *     }
         */
        DeviceScript: components["schemas"]["DeviceCommon"] & {
            /**
             * @description How the device is checked.
             * @enum {string}
             */
            Method: "Script";
            /** @description Settings of the Method. */
            Options: components["schemas"]["OptionsScript"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "Script";
        };
        /**
         * @description A device with all its settings: the fields that all Methods have.
         * @example {
         *       "Status": "Up",
         *       "URL": "https://www.example.com/",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "LastCheckResult": "200 OK",
         *       "StatusSince": "2026-02-25T23:38:03+01:00",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "ExternalKey": "cmdb-4711",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
         *       "Retrying": false,
         *       "DownBecause": null,
         *       "Source": "net/berlin",
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "Warnings": [],
         *       "Maintenance": [
         *         {
         *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Source": "Manual",
         *           "mschedule_id": null,
         *           "Start": "2026-02-25T23:38:03+01:00",
         *           "End": "2026-02-25T23:38:03+01:00",
         *           "Reason": "Kernel update",
         *           "By": "Ada"
         *         }
         *       ],
         *       "CreatedAt": "2026-02-25T23:38:03+01:00",
         *       "UpdatedAt": "2026-02-25T23:38:03+01:00"
         *     }
         */
        DeviceCommon: {
            /**
             * @description Up, Down, Maint (in maintenance) or Unknown (no Location checks it).
             * @enum {string}
             */
            readonly Status: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description URL, host name or custom script that is monitored.
             * @example https://www.example.com/
             */
            URL: string;
            /**
             * @description Minutes between checks.
             * @example 5
             * @enum {integer}
             */
            Frequency: 1 | 2 | 5 | 10 | 20 | 30 | 60;
            /**
             * @description Seconds between checks; null: Frequency counts.
             * @example null
             */
            FrequencySeconds: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description CheckResult of the last check; null before the first one.
             * @example 200 OK
             */
            readonly LastCheckResult: string | null;
            /**
             * @description Since when the device has this Status.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly StatusSince: components["schemas"]["Timestamp"];
            /**
             * @description Short name of the device.
             * @example web-1
             */
            ShortName: string;
            /**
             * @description Description of the device.
             * @example Web shop, front page
             */
            FullName: string | null;
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly device_id: components["schemas"]["Id"];
            /**
             * @description The client's own identity of it; null: none.
             * @example cmdb-4711
             */
            ExternalKey: string | null;
            /**
             * @description false: the device is paused.
             * @example true
             */
            Enabled: boolean;
            /**
             * @description How bad an outage of it is.
             * @example critical
             * @enum {string}
             */
            Severity: "critical" | "warning" | "info";
            /**
             * @description End of the current maintenance; null: it is in none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly MaintenanceUntil: components["schemas"]["Timestamp"] | null;
            /**
             * @description An error was seen that is not confirmed yet.
             * @example false
             */
            readonly Retrying: boolean;
            /**
             * @description Id of its master where the device is Down and the master is Down too; otherwise null.
             * @example null
             */
            readonly DownBecause: string | null;
            /**
             * @description Who manages it; null: nobody.
             * @example net/berlin
             */
            Source: string | null;
            /**
             * @description Seconds to wait for a response.
             * @example 30
             */
            Timeout: number;
            /**
             * @description Retries after an error before alerting.
             * @example 2
             */
            Retries: number;
            /**
             * @description Failing checks until the device is Down.
             * @example 3
             */
            Attempts: number;
            /**
             * @description Seconds before a retry.
             * @example 1
             */
            RetryDelay: number;
            /**
             * @description Id of the notification schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id: string | null;
            /**
             * @description Id of the maintenance schedule; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id: string | null;
            /**
             * @description Id of the master device; null: none.
             * @example null
             */
            device_master_id: string | null;
            /**
             * @description Names of the Locations that check it.
             * @example [
             *       "local"
             *     ]
             */
            Locations: string[];
            /**
             * @description Tags of the device.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags: {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: components["schemas"]["Id"];
                /**
                 * @description The name.
                 * @example local
                 */
                Name: string;
            }[];
            /**
             * @description What is accepted, but likely not meant.
             * @example []
             */
            readonly Warnings: string[];
            /** @description Maintenance that runs or is planned; of its schedule the windows of the next 62 days. */
            readonly Maintenance: components["schemas"]["DeviceMaintenance"][];
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt: components["schemas"]["Timestamp"];
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt: components["schemas"]["Timestamp"];
        };
        /**
         * HTTP
         * @description A device to create of Method HTTP.
         * @example {
         *       "Method": "HTTP",
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        DeviceCreateHTTP: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "HTTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsHTTP"] | null;
            /**
             * @description Older name of Options.Headers (Method HTTP): {} changes nothing, null clears the headers. Where both names are sent, the one that differs from the stored headers counts.
             * @example {
             *       "headers": {
             *         "Accept-Language": "en"
             *       }
             *     }
             */
            HostData?: {
                /**
                 * @description HTTP request headers by name.
                 * @example {
                 *       "Accept-Language": "en"
                 *     }
                 */
                headers?: {
                    [key: string]: string;
                };
            } | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "HTTP";
        };
        /**
         * PING
         * @description A device to create of Method PING.
         * @example {
         *       "Method": "PING",
         *       "URL": "192.0.2.1",
         *       "ShortName": "gw-1",
         *       "Options": {
         *         "Count": 5,
         *         "MaxLossPercent": 20
         *       }
         *     }
         */
        DeviceCreatePING: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "PING";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsPING"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "PING";
        };
        /**
         * SMTP
         * @description A device to create of Method SMTP.
         * @example {
         *       "Method": "SMTP",
         *       "URL": "smtp://mail.example.com",
         *       "ShortName": "mx-1",
         *       "Options": {
         *         "TLS": {
         *           "Mode": "StartTLS",
         *           "MinDaysLeft": 14
         *         }
         *       }
         *     }
         */
        DeviceCreateSMTP: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "SMTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsSMTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SMTP";
        };
        /**
         * POP3
         * @description A device to create of Method POP3.
         * @example {
         *       "Method": "POP3",
         *       "URL": "pop3s://mail.example.com",
         *       "ShortName": "pop-1",
         *       "Options": {
         *         "ExpectBanner": "ready"
         *       }
         *     }
         */
        DeviceCreatePOP3: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "POP3";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsPOP3"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "POP3";
        };
        /**
         * MySQL
         * @description A device to create of Method MySQL.
         * @example {
         *       "Method": "MySQL",
         *       "URL": "mysql://monitor@db.example.com/shop",
         *       "ShortName": "db-1",
         *       "Options": {
         *         "Query": "select count(*) from orders",
         *         "Password": "a password"
         *       }
         *     }
         */
        DeviceCreateMySQL: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "MySQL";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsMySQL"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "MySQL";
        };
        /**
         * IMAP4
         * @description A device to create of Method IMAP4.
         * @example {
         *       "Method": "IMAP4",
         *       "URL": "imaps://mail.example.com",
         *       "ShortName": "imap-1",
         *       "Options": {
         *         "User": "monitor",
         *         "Password": "a password",
         *         "Mailbox": "INBOX"
         *       }
         *     }
         */
        DeviceCreateIMAP4: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "IMAP4";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsIMAP4"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "IMAP4";
        };
        /**
         * FTP
         * @description A device to create of Method FTP.
         * @example {
         *       "Method": "FTP",
         *       "URL": "ftp://ftp.example.com",
         *       "ShortName": "ftp-1",
         *       "Options": {
         *         "Directory": "/pub",
         *         "List": true
         *       }
         *     }
         */
        DeviceCreateFTP: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "FTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsFTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "FTP";
        };
        /**
         * TELNET
         * @description A device to create of Method TELNET.
         * @example {
         *       "Method": "TELNET",
         *       "URL": "192.0.2.7:23",
         *       "ShortName": "sw-7",
         *       "Options": {
         *         "ExpectPrompt": "login:"
         *       }
         *     }
         */
        DeviceCreateTELNET: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "TELNET";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsTELNET"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TELNET";
        };
        /**
         * SSH
         * @description A device to create of Method SSH.
         * @example {
         *       "Method": "SSH",
         *       "URL": "ssh.example.com",
         *       "ShortName": "ssh-1",
         *       "Options": {
         *         "ExpectBanner": "OpenSSH"
         *       }
         *     }
         */
        DeviceCreateSSH: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "SSH";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsSSH"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SSH";
        };
        /**
         * NNTP
         * @description A device to create of Method NNTP.
         * @example {
         *       "Method": "NNTP",
         *       "URL": "news.example.com",
         *       "ShortName": "news-1",
         *       "Options": {
         *         "Group": "comp.lang.c"
         *       }
         *     }
         */
        DeviceCreateNNTP: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "NNTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsNNTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "NNTP";
        };
        /**
         * TCP
         * @description A device to create of Method TCP.
         * @example {
         *       "Method": "TCP",
         *       "URL": "redis.example.com:6379",
         *       "ShortName": "redis-1",
         *       "Options": {
         *         "Steps": [
         *           {
         *             "Send": "PING\r\n",
         *             "Expect": "+PONG"
         *           }
         *         ]
         *       }
         *     }
         */
        DeviceCreateTCP: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "TCP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsTCP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TCP";
        };
        /**
         * DNS
         * @description A device to create of Method DNS.
         * @example {
         *       "Method": "DNS",
         *       "URL": "dns://192.0.2.53/www.example.com?type=A",
         *       "ShortName": "dns-1",
         *       "Options": {
         *         "Expect": [
         *           "192.0.2.80"
         *         ]
         *       }
         *     }
         */
        DeviceCreateDNS: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "DNS";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsDNS"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "DNS";
        };
        /**
         * Script
         * @description A device to create of Method Script.
         * @example {
         *       "Method": "Script",
         *       "URL": "await http({ url: 'https://www.example.com/' });",
         *       "ShortName": "shop-1",
         *       "Options": {
         *         "SlowMs": 5000
         *       }
         *     }
         */
        DeviceCreateScript: components["schemas"]["DeviceCreateCommon"] & {
            /**
             * @description Cannot be changed later.
             * @enum {string}
             */
            Method: "Script";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsScript"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "Script";
        };
        /**
         * @description A device to create: the fields that all Methods have.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical"
         *     }
         */
        DeviceCreateCommon: {
            /**
             * @description URL, host name or custom script to monitor; what is accepted depends on Method. A password comes back as `***`.
             * @example https://www.example.com/
             */
            URL: string;
            /**
             * @description Up to 8 characters: letters, digits or '-'. Need not be unique.
             * @example web-1
             */
            ShortName: string;
            /**
             * @description Description, one line; null: none.
             * @example Web shop, front page
             */
            FullName?: string | null;
            /**
             * @description Minutes between checks; default 5.
             * @example 5
             */
            Frequency?: (1 | 2 | 5 | 10 | 20 | 30 | 60) | null;
            /**
             * @description Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. Where both are sent, the one that differs from what is shown counts.
             * @example null
             */
            FrequencySeconds?: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description Seconds to wait for a response; default 30.
             * @example 30
             */
            Timeout?: number | null;
            /**
             * @description Retries after an error before alerting; default 2.
             * @example 2
             */
            Retries?: number | null;
            /**
             * @description Failing checks until the device is Down, the first one included; null: Retries + 1. Where both are sent, the one that differs from what is shown counts.
             * @example 3
             */
            Attempts?: number | null;
            /**
             * @description Seconds before a retry; default 1.
             * @example 1
             */
            RetryDelay?: number | null;
            /**
             * @description Notification schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Maintenance schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id?: string | null;
            /**
             * @description Master device: when it is down already, alerts for this one are suppressed. Its id, or key: and its ExternalKey; null: none.
             * @example null
             */
            device_master_id?: string | null;
            /**
             * @description Names or ids; null: the account's DefaultLocations; []: none.
             * @example [
             *       "local"
             *     ]
             */
            Locations?: string[] | null;
            /**
             * @description The whole set of its tags: names, ids, or the objects that a GET returns; null: none.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description false pauses the device: it is not checked, its Status is Unknown, nobody is notified; default true.
             * @example true
             */
            Enabled?: boolean | null;
            /**
             * @description How bad an outage of it is; steps of notification schedules choose by it. Default critical.
             * @example critical
             */
            Severity?: ("critical" | "warning" | "info") | null;
        };
        /**
         * HTTP
         * @description Changed settings of a device of Method HTTP.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "HTTP",
         *       "Options": {
         *         "ExpectText": "Welcome",
         *         "MaxTimeMs": 2000,
         *         "Headers": {
         *           "Accept-Language": "en"
         *         }
         *       },
         *       "HostData": {
         *         "headers": {
         *           "Accept-Language": "en"
         *         }
         *       }
         *     }
         */
        DeviceUpdateHTTP: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "HTTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsHTTP"] | null;
            /**
             * @description Older name of Options.Headers (Method HTTP): {} changes nothing, null clears the headers. Where both names are sent, the one that differs from the stored headers counts.
             * @example {
             *       "headers": {
             *         "Accept-Language": "en"
             *       }
             *     }
             */
            HostData?: {
                /**
                 * @description HTTP request headers by name.
                 * @example {
                 *       "Accept-Language": "en"
                 *     }
                 */
                headers?: {
                    [key: string]: string;
                };
            } | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "HTTP";
        };
        /**
         * PING
         * @description Changed settings of a device of Method PING.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "PING",
         *       "Options": {
         *         "Count": 5,
         *         "MaxLossPercent": 20
         *       }
         *     }
         */
        DeviceUpdatePING: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "PING";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsPING"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "PING";
        };
        /**
         * SMTP
         * @description Changed settings of a device of Method SMTP.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "SMTP",
         *       "Options": {
         *         "TLS": {
         *           "Mode": "StartTLS",
         *           "MinDaysLeft": 14
         *         }
         *       }
         *     }
         */
        DeviceUpdateSMTP: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "SMTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsSMTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SMTP";
        };
        /**
         * POP3
         * @description Changed settings of a device of Method POP3.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "POP3",
         *       "Options": {
         *         "ExpectBanner": "ready"
         *       }
         *     }
         */
        DeviceUpdatePOP3: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "POP3";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsPOP3"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "POP3";
        };
        /**
         * MySQL
         * @description Changed settings of a device of Method MySQL.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "MySQL",
         *       "Options": {
         *         "Query": "select count(*) from orders",
         *         "Password": "a password"
         *       }
         *     }
         */
        DeviceUpdateMySQL: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "MySQL";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsMySQL"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "MySQL";
        };
        /**
         * IMAP4
         * @description Changed settings of a device of Method IMAP4.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "IMAP4",
         *       "Options": {
         *         "User": "monitor",
         *         "Password": "a password",
         *         "Mailbox": "INBOX"
         *       }
         *     }
         */
        DeviceUpdateIMAP4: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "IMAP4";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsIMAP4"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "IMAP4";
        };
        /**
         * FTP
         * @description Changed settings of a device of Method FTP.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "FTP",
         *       "Options": {
         *         "Directory": "/pub",
         *         "List": true
         *       }
         *     }
         */
        DeviceUpdateFTP: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "FTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsFTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "FTP";
        };
        /**
         * TELNET
         * @description Changed settings of a device of Method TELNET.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "TELNET",
         *       "Options": {
         *         "ExpectPrompt": "login:"
         *       }
         *     }
         */
        DeviceUpdateTELNET: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "TELNET";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsTELNET"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TELNET";
        };
        /**
         * SSH
         * @description Changed settings of a device of Method SSH.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "SSH",
         *       "Options": {
         *         "ExpectBanner": "OpenSSH"
         *       }
         *     }
         */
        DeviceUpdateSSH: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "SSH";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsSSH"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "SSH";
        };
        /**
         * NNTP
         * @description Changed settings of a device of Method NNTP.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "NNTP",
         *       "Options": {
         *         "Group": "comp.lang.c"
         *       }
         *     }
         */
        DeviceUpdateNNTP: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "NNTP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsNNTP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "NNTP";
        };
        /**
         * TCP
         * @description Changed settings of a device of Method TCP.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "TCP",
         *       "Options": {
         *         "Steps": [
         *           {
         *             "Send": "PING\r\n",
         *             "Expect": "+PONG"
         *           }
         *         ]
         *       }
         *     }
         */
        DeviceUpdateTCP: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "TCP";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsTCP"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "TCP";
        };
        /**
         * DNS
         * @description Changed settings of a device of Method DNS.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "DNS",
         *       "Options": {
         *         "Expect": [
         *           "192.0.2.80"
         *         ]
         *       }
         *     }
         */
        DeviceUpdateDNS: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "DNS";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsDNS"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "DNS";
        };
        /**
         * Script
         * @description Changed settings of a device of Method Script.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical",
         *       "Method": "Script",
         *       "Options": {
         *         "SlowMs": 5000
         *       }
         *     }
         */
        DeviceUpdateScript: components["schemas"]["DeviceUpdateCommon"] & {
            /**
             * @description May be sent back; cannot be changed.
             * @enum {string}
             */
            Method: "Script";
            /** @description Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back. */
            Options?: components["schemas"]["OptionsScript"] | null;
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            Method: "Script";
        };
        /**
         * @description Changed settings of a device: the fields that all Methods have.
         * @example {
         *       "URL": "https://www.example.com/",
         *       "ShortName": "web-1",
         *       "FullName": "Web shop, front page",
         *       "Frequency": 5,
         *       "FrequencySeconds": null,
         *       "Timeout": 30,
         *       "Retries": 2,
         *       "Attempts": 3,
         *       "RetryDelay": 1,
         *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *       "device_master_id": null,
         *       "Locations": [
         *         "local"
         *       ],
         *       "Tags": [
         *         {
         *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
         *           "Name": "shop"
         *         }
         *       ],
         *       "ExternalKey": "cmdb-4711",
         *       "Source": "net/berlin",
         *       "Enabled": true,
         *       "Severity": "critical"
         *     }
         */
        DeviceUpdateCommon: {
            /**
             * @description URL, host name or custom script to monitor; what is accepted depends on Method. A password comes back as `***`.
             * @example https://www.example.com/
             */
            URL?: string;
            /**
             * @description Up to 8 characters: letters, digits or '-'. Need not be unique.
             * @example web-1
             */
            ShortName?: string;
            /**
             * @description Description, one line; null: none.
             * @example Web shop, front page
             */
            FullName?: string | null;
            /**
             * @description Minutes between checks; default 5.
             * @example 5
             */
            Frequency?: (1 | 2 | 5 | 10 | 20 | 30 | 60) | null;
            /**
             * @description Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. Where both are sent, the one that differs from what is shown counts.
             * @example null
             */
            FrequencySeconds?: (5 | 10 | 15 | 20 | 30) | null;
            /**
             * @description Seconds to wait for a response; default 30.
             * @example 30
             */
            Timeout?: number | null;
            /**
             * @description Retries after an error before alerting; default 2.
             * @example 2
             */
            Retries?: number | null;
            /**
             * @description Failing checks until the device is Down, the first one included; null: Retries + 1. Where both are sent, the one that differs from what is shown counts.
             * @example 3
             */
            Attempts?: number | null;
            /**
             * @description Seconds before a retry; default 1.
             * @example 1
             */
            RetryDelay?: number | null;
            /**
             * @description Notification schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            nschedule_id?: string | null;
            /**
             * @description Maintenance schedule. Its id, or key: and its ExternalKey; null: none.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            mschedule_id?: string | null;
            /**
             * @description Master device: when it is down already, alerts for this one are suppressed. Its id, or key: and its ExternalKey; null: none.
             * @example null
             */
            device_master_id?: string | null;
            /**
             * @description Names or ids; null: the account's DefaultLocations; []: none.
             * @example [
             *       "local"
             *     ]
             */
            Locations?: string[] | null;
            /**
             * @description The whole set of its tags: names, ids, or the objects that a GET returns; null: none.
             * @example [
             *       {
             *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
             *         "Name": "shop"
             *       }
             *     ]
             */
            Tags?: (string | {
                /**
                 * @description Id of the tag.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The name.
                 * @example local
                 */
                Name?: string;
            })[] | null;
            /**
             * @description The client's own identity, unique among the account's things of this kind; null: none.
             * @example cmdb-4711
             */
            ExternalKey?: string | null;
            /**
             * @description What manages it, such as the `source` of a file that `vantage apply` carries out; null: nothing.
             * @example net/berlin
             */
            Source?: string | null;
            /**
             * @description false pauses the device: it is not checked, its Status is Unknown, nobody is notified; default true.
             * @example true
             */
            Enabled?: boolean | null;
            /**
             * @description How bad an outage of it is; steps of notification schedules choose by it. Default critical.
             * @example critical
             */
            Severity?: ("critical" | "warning" | "info") | null;
            /**
             * @description Up, Down, Maint (in maintenance) or Unknown (no Location checks it).
             * @enum {string}
             */
            readonly Status?: "Up" | "Down" | "Maint" | "Unknown";
            /**
             * @description CheckResult of the last check; null before the first one.
             * @example 200 OK
             */
            readonly LastCheckResult?: string | null;
            /**
             * @description Since when the device has this Status.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly StatusSince?: components["schemas"]["Timestamp"];
            /**
             * @description Id of the device.
             * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
             */
            readonly device_id?: components["schemas"]["Id"];
            /**
             * @description End of the current maintenance; null: it is in none.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly MaintenanceUntil?: components["schemas"]["Timestamp"] | null;
            /**
             * @description An error was seen that is not confirmed yet.
             * @example false
             */
            readonly Retrying?: boolean;
            /**
             * @description Id of its master where the device is Down and the master is Down too; otherwise null.
             * @example null
             */
            readonly DownBecause?: string | null;
            /**
             * @description What is accepted, but likely not meant.
             * @example []
             */
            readonly Warnings?: string[];
            /** @description Maintenance that runs or is planned; of its schedule the windows of the next 62 days. */
            readonly Maintenance?: components["schemas"]["DeviceMaintenance"][];
            /**
             * @description When it was created.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly CreatedAt?: components["schemas"]["Timestamp"];
            /**
             * @description When it was last changed.
             * @example 2026-02-25T23:38:03+01:00
             */
            readonly UpdatedAt?: components["schemas"]["Timestamp"];
        };
        /**
         * @description Changed settings of a device that do not name its Method and so hold no Options.
         * @example {
         *       "Frequency": 1,
         *       "FullName": "Web shop, front page"
         *     }
         */
        DeviceChange: components["schemas"]["DeviceUpdateCommon"] & {
            Method?: never;
            Options?: never;
            HostData?: never;
        };
    };
    responses: {
        /** @description The request failed by the caller’s fault. `code` and `message` say why. */
        Refused: {
            headers: {
                /**
                 * @description Names the request in the log of the service: the id that the client sent, or a new one.
                 * @example c0ffee00c0ffee00
                 */
                "X-Request-Id": string;
                /**
                 * @description With code 1000 for a wrong verb: the verbs that this path supports.
                 * @example GET, POST
                 */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": 1004,
                 *       "message": "Limit must be digits only.",
                 *       "errors": [
                 *         {
                 *           "field": "Limit",
                 *           "message": "must be digits only"
                 *         }
                 *       ],
                 *       "Results": [
                 *         {
                 *           "Status": 200,
                 *           "Body": {
                 *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           },
                 *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many bad keys from this address, or too many requests of this key at once. */
        TooManyRequests: {
            headers: {
                /**
                 * @description Names the request in the log of the service: the id that the client sent, or a new one.
                 * @example c0ffee00c0ffee00
                 */
                "X-Request-Id": string;
                /**
                 * @description Seconds to wait before the next request.
                 * @example 30
                 */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": 1004,
                 *       "message": "Limit must be digits only.",
                 *       "errors": [
                 *         {
                 *           "field": "Limit",
                 *           "message": "must be digits only"
                 *         }
                 *       ],
                 *       "Results": [
                 *         {
                 *           "Status": 200,
                 *           "Body": {
                 *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           },
                 *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Problem"];
            };
        };
        /** @description A fault of the service. */
        InternalError: {
            headers: {
                /**
                 * @description Names the request in the log of the service: the id that the client sent, or a new one.
                 * @example c0ffee00c0ffee00
                 */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": 1004,
                 *       "message": "Limit must be digits only.",
                 *       "errors": [
                 *         {
                 *           "field": "Limit",
                 *           "message": "must be digits only"
                 *         }
                 *       ],
                 *       "Results": [
                 *         {
                 *           "Status": 200,
                 *           "Body": {
                 *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           },
                 *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Problem"];
            };
        };
        /** @description The service is unavailable at the moment. */
        Unavailable: {
            headers: {
                /**
                 * @description Names the request in the log of the service: the id that the client sent, or a new one.
                 * @example c0ffee00c0ffee00
                 */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": 1004,
                 *       "message": "Limit must be digits only.",
                 *       "errors": [
                 *         {
                 *           "field": "Limit",
                 *           "message": "must be digits only"
                 *         }
                 *       ],
                 *       "Results": [
                 *         {
                 *           "Status": 200,
                 *           "Body": {
                 *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           },
                 *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Problem"];
            };
        };
        /** @description The client has the resource or list as it is: `If-None-Match` names its ETag. There is no body. */
        NotModified: {
            headers: {
                /**
                 * @description Names the request in the log of the service: the id that the client sent, or a new one.
                 * @example c0ffee00c0ffee00
                 */
                "X-Request-Id": string;
                /**
                 * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                ETag: string;
                /** @example mb1ou4ao-2f6-hqy6qs8cdk */
                "Vantage-Revision"?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sayHello: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "text/plain": string;
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    tryCheck: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Method": "HTTP",
                 *       "URL": "https://www.example.com/",
                 *       "ShortName": "web-1",
                 *       "FullName": "Web shop, front page",
                 *       "Frequency": 5,
                 *       "FrequencySeconds": null,
                 *       "Timeout": 30,
                 *       "Retries": 2,
                 *       "Attempts": 3,
                 *       "RetryDelay": 1,
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "device_master_id": null,
                 *       "Locations": [
                 *         "local"
                 *       ],
                 *       "Options": {
                 *         "ExpectText": "Welcome",
                 *         "MaxTimeMs": 2000,
                 *         "Headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       },
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ],
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin",
                 *       "Enabled": true,
                 *       "Severity": "critical",
                 *       "HostData": {
                 *         "headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       },
                 *       "Location": "local"
                 *     }
                 */
                "application/json": components["schemas"]["CheckTrial"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": null,
                     *       "Location": "local",
                     *       "Timestamp": "2026-02-25T23:38:03+01:00",
                     *       "BlockTime": 1.5,
                     *       "ConnectTime": 11.2,
                     *       "DNSTime": 4.1,
                     *       "SSLTime": 22.6,
                     *       "TTFB": 9.4,
                     *       "TTLB": 1.6,
                     *       "RequestTime": 48.9,
                     *       "Kbps": 1420.5,
                     *       "PerfStat": "Ok",
                     *       "ResultCode": 1,
                     *       "DataSize": 14873,
                     *       "CheckResult": "200 OK",
                     *       "Extended": {
                     *         "Address": "192.0.2.80",
                     *         "Status": 200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TrialRecord"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCheck: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The check_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Timestamp": "2026-02-25T23:38:03+01:00",
                     *       "BlockTime": 1.5,
                     *       "ConnectTime": 11.2,
                     *       "DNSTime": 4.1,
                     *       "SSLTime": 22.6,
                     *       "TTFB": 9.4,
                     *       "TTLB": 1.6,
                     *       "RequestTime": 48.9,
                     *       "Kbps": 1420.5,
                     *       "PerfStat": "Ok",
                     *       "ResultCode": 1,
                     *       "DataSize": 14873,
                     *       "CheckResult": "200 OK",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckOfDevice"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getExtendedCheck: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The check_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Timestamp": "2026-02-25T23:38:03.012345+01:00",
                     *       "EndTimestamp": "2026-02-25T23:38:03.412345+01:00",
                     *       "ArrivedTimestamp": "2026-02-25T23:38:03.512345+01:00",
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Agent": "agent-1",
                     *       "Location": "local",
                     *       "Attempt": 0,
                     *       "RetryId": null,
                     *       "ResultCode": 1,
                     *       "CheckResult": "200 OK",
                     *       "Extended": {
                     *         "Address": "192.0.2.80",
                     *         "Status": 200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CheckExtended"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeviceChecks: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Rows from this moment on. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Rows up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a Location: its rows only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description Checks with these ResultCodes only, joined by commas: ResultCode=2,3.
                 * @example 2,3
                 */
                ResultCode?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A check_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Location": "local",
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "BlockTime": 1.5,
                     *         "ConnectTime": 11.2,
                     *         "DNSTime": 4.1,
                     *         "SSLTime": 22.6,
                     *         "TTFB": 9.4,
                     *         "TTLB": 1.6,
                     *         "RequestTime": 48.9,
                     *         "Kbps": 1420.5,
                     *         "PerfStat": "Ok",
                     *         "ResultCode": 1,
                     *         "DataSize": 14873,
                     *         "CheckResult": "200 OK"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Check"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkDeviceNow: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Timestamp": "2026-02-25T23:38:03+01:00",
                     *       "BlockTime": 1.5,
                     *       "ConnectTime": 11.2,
                     *       "DNSTime": 4.1,
                     *       "SSLTime": 22.6,
                     *       "TTFB": 9.4,
                     *       "TTLB": 1.6,
                     *       "RequestTime": 48.9,
                     *       "Kbps": 1420.5,
                     *       "PerfStat": "Ok",
                     *       "ResultCode": 1,
                     *       "DataSize": 14873,
                     *       "CheckResult": "200 OK",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckOfDevice"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description All, Ok or Up (the same), Down, Maint, Unknown, or a tag_id.
                 * @example Down
                 */
                Filter?: string;
                /**
                 * @description A part of ShortName, FullName or URL, in any letter case. The answer has no X-Total-Count.
                 * @example shop
                 */
                Search?: string;
                /**
                 * @description Name or id of a tag: its devices only.
                 * @example shop
                 */
                Tag?: string;
                /**
                 * @description Devices of this Method only.
                 * @example HTTP
                 */
                Method?: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
                /**
                 * @description Name or id of a Location: the devices that are checked from there only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description false: paused devices only; true: all others.
                 * @example true
                 */
                Enabled?: "true" | "Y" | "false" | "N";
                /**
                 * @description critical, warning or info, joined by commas: devices with one of these only.
                 * @example critical,warning
                 */
                Severity?: string;
                /**
                 * @description true: devices in a retry sequence only; false: all others.
                 * @example true
                 */
                Retrying?: "true" | "Y" | "false" | "N";
                /**
                 * @description Id of a device: those behind it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                device_master_id?: string;
                /**
                 * @description Id of a notification schedule: the devices that use it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                nschedule_id?: string;
                /**
                 * @description Id of a maintenance schedule: the devices that use it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                mschedule_id?: string;
                /**
                 * @description The order: a field, descending with - before it. Default: the order of creation.
                 * @example -StatusSince
                 */
                Sort?: "ShortName" | "-ShortName" | "Status" | "-Status" | "StatusSince" | "-StatusSince" | "CreatedAt" | "-CreatedAt";
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with After. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A device_id: the rows that were created after this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                After?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "Status": "Up",
                     *         "URL": "https://www.example.com/",
                     *         "Method": "HTTP",
                     *         "Frequency": 5,
                     *         "FrequencySeconds": null,
                     *         "LastCheckResult": "200 OK",
                     *         "StatusSince": "2026-02-25T23:38:03+01:00",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ExternalKey": "cmdb-4711",
                     *         "Enabled": true,
                     *         "Severity": "critical",
                     *         "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *         "Retrying": false,
                     *         "DownBecause": null,
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeviceEntry"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDevice: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "URL": "https://www.example.com/",
                 *       "ShortName": "web-1",
                 *       "FullName": "Web shop, front page",
                 *       "Frequency": 5,
                 *       "FrequencySeconds": null,
                 *       "Timeout": 30,
                 *       "Retries": 2,
                 *       "Attempts": 3,
                 *       "RetryDelay": 1,
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "device_master_id": null,
                 *       "Locations": [
                 *         "local"
                 *       ],
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ],
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin",
                 *       "Enabled": true,
                 *       "Severity": "critical",
                 *       "Method": "HTTP",
                 *       "Options": {
                 *         "ExpectText": "Welcome",
                 *         "MaxTimeMs": 2000,
                 *         "Headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       },
                 *       "HostData": {
                 *         "headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DeviceCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the device.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        device_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDevice: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Y: HostData is part of the answer.
                 * @example Y
                 */
                WithConfig?: "Y" | "N";
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "Up",
                     *       "URL": "https://www.example.com/",
                     *       "Frequency": 5,
                     *       "FrequencySeconds": null,
                     *       "LastCheckResult": "200 OK",
                     *       "StatusSince": "2026-02-25T23:38:03+01:00",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Enabled": true,
                     *       "Severity": "critical",
                     *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *       "Retrying": false,
                     *       "DownBecause": null,
                     *       "Source": "net/berlin",
                     *       "Timeout": 30,
                     *       "Retries": 2,
                     *       "Attempts": 3,
                     *       "RetryDelay": 1,
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_master_id": null,
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Warnings": [],
                     *       "Maintenance": [
                     *         {
                     *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Source": "Manual",
                     *           "mschedule_id": null,
                     *           "Start": "2026-02-25T23:38:03+01:00",
                     *           "End": "2026-02-25T23:38:03+01:00",
                     *           "Reason": "Kernel update",
                     *           "By": "Ada"
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Method": "HTTP",
                     *       "Options": {
                     *         "ExpectText": "Welcome",
                     *         "MaxTimeMs": 2000,
                     *         "Headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       },
                     *       "HostData": {
                     *         "headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateDevice: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Y: HostData is part of the answer.
                 * @example Y
                 */
                WithConfig?: "Y" | "N";
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "URL": "https://www.example.com/",
                 *       "ShortName": "web-1",
                 *       "FullName": "Web shop, front page",
                 *       "Frequency": 5,
                 *       "FrequencySeconds": null,
                 *       "Timeout": 30,
                 *       "Retries": 2,
                 *       "Attempts": 3,
                 *       "RetryDelay": 1,
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "device_master_id": null,
                 *       "Locations": [
                 *         "local"
                 *       ],
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ],
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin",
                 *       "Enabled": true,
                 *       "Severity": "critical",
                 *       "Method": "HTTP",
                 *       "Options": {
                 *         "ExpectText": "Welcome",
                 *         "MaxTimeMs": 2000,
                 *         "Headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       },
                 *       "HostData": {
                 *         "headers": {
                 *           "Accept-Language": "en"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DeviceUpdate"] | components["schemas"]["DeviceChange"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "Up",
                     *       "URL": "https://www.example.com/",
                     *       "Frequency": 5,
                     *       "FrequencySeconds": null,
                     *       "LastCheckResult": "200 OK",
                     *       "StatusSince": "2026-02-25T23:38:03+01:00",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Enabled": true,
                     *       "Severity": "critical",
                     *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *       "Retrying": false,
                     *       "DownBecause": null,
                     *       "Source": "net/berlin",
                     *       "Timeout": 30,
                     *       "Retries": 2,
                     *       "Attempts": 3,
                     *       "RetryDelay": 1,
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_master_id": null,
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Warnings": [],
                     *       "Maintenance": [
                     *         {
                     *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Source": "Manual",
                     *           "mschedule_id": null,
                     *           "Start": "2026-02-25T23:38:03+01:00",
                     *           "End": "2026-02-25T23:38:03+01:00",
                     *           "Reason": "Kernel update",
                     *           "By": "Ada"
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Method": "HTTP",
                     *       "Options": {
                     *         "ExpectText": "Welcome",
                     *         "MaxTimeMs": 2000,
                     *         "Headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       },
                     *       "HostData": {
                     *         "headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteDevice: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the device.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        device_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeDevices: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Filter": {
                 *         "Tag": "lab"
                 *       },
                 *       "Set": {
                 *         "Severity": "info"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BulkChange"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Matched": 2,
                     *       "Changed": 1,
                     *       "Refused": [
                     *         {
                     *           "device_id": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
                     *           "Reason": "It is the master of other devices."
                     *         }
                     *       ],
                     *       "Token": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
                     *       "Done": false
                     *     }
                     */
                    "application/json": components["schemas"]["BulkChangeOutcome"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    "getDevice-change": {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The change_id: 48 lowercase hexadecimal digits.
                 * @example text
                 */
                change_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Matched": 2,
                     *       "Changed": 1,
                     *       "Refused": [
                     *         {
                     *           "device_id": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
                     *           "Reason": "It is the master of other devices."
                     *         }
                     *       ],
                     *       "Token": "8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d",
                     *       "Done": false
                     *     }
                     */
                    "application/json": components["schemas"]["BulkChangeOutcome"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSummary: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Counts for each of these, too: Tag or Path (tags whose names are paths, with the levels above), and Location; joined by commas.
                 * @example Tag,Location
                 */
                By?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Timestamp": "2026-02-25T23:38:03+01:00",
                     *       "Devices": {
                     *         "Total": 4107,
                     *         "Up": 4102,
                     *         "Down": 3,
                     *         "Maint": 2,
                     *         "Unknown": 0,
                     *         "Paused": 0,
                     *         "Retrying": 1
                     *       },
                     *       "Alerts": {
                     *         "Open": 2,
                     *         "Acknowledged": 1,
                     *         "Snoozed": 0
                     *       },
                     *       "LastCheck": "2026-02-25T23:38:03+01:00",
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "berlin/rack-3",
                     *           "Worst": "Down",
                     *           "Up": 40,
                     *           "Down": 1,
                     *           "Maint": 0,
                     *           "Unknown": 0
                     *         }
                     *       ],
                     *       "Locations": [
                     *         {
                     *           "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "local",
                     *           "Online": true,
                     *           "Worst": "Up",
                     *           "Up": 40,
                     *           "Down": 0,
                     *           "Maint": 0,
                     *           "Unknown": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listStates: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description All, Ok or Up (the same), Down, Maint, Unknown, or a tag_id.
                 * @example Down
                 */
                Filter?: string;
                /**
                 * @description A part of ShortName, FullName or URL, in any letter case. The answer has no X-Total-Count.
                 * @example shop
                 */
                Search?: string;
                /**
                 * @description Names or ids of tags, joined by commas: their devices only. Match says how many of them.
                 * @example shop
                 */
                Tag?: string;
                /**
                 * @description Devices of this Method only.
                 * @example HTTP
                 */
                Method?: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
                /**
                 * @description Name or id of a Location: the devices that are checked from there only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description false: paused devices only; true: all others.
                 * @example true
                 */
                Enabled?: "true" | "Y" | "false" | "N";
                /**
                 * @description critical, warning or info, joined by commas: devices with one of these only.
                 * @example critical,warning
                 */
                Severity?: string;
                /**
                 * @description true: devices in a retry sequence only; false: all others.
                 * @example true
                 */
                Retrying?: "true" | "Y" | "false" | "N";
                /**
                 * @description Id of a device: those behind it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                device_master_id?: string;
                /**
                 * @description Id of a notification schedule: the devices that use it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                nschedule_id?: string;
                /**
                 * @description Id of a maintenance schedule: the devices that use it only.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                mschedule_id?: string;
                /**
                 * @description The order: a field, descending with - before it. Default: the order of creation.
                 * @example -StatusSince
                 */
                Sort?: "ShortName" | "-ShortName" | "Status" | "-Status" | "StatusSince" | "-StatusSince" | "CreatedAt" | "-CreatedAt";
                /**
                 * @description Most rows to return; more than 1000 is taken as 1000.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with After. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A device_id: the rows that were created after this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                After?: string;
                /**
                 * @description Any: devices with one of the tags. All: devices with each of them.
                 * @example Any
                 */
                Match?: "Any" | "All";
                /**
                 * @description What each row has besides: Tags, Locations, LastCheck, Master, Day, Settings, joined by commas.
                 * @example Tags,Day
                 */
                With?: string;
                /**
                 * @description The Vantage-Revision of an earlier answer, at most 50 minutes old: only what changed since. Rows with Gone are devices that were deleted or are not in the list any more. A row may come though nothing changed.
                 * @example mb1ou4ao-2f6-hqy6qs8cdk
                 */
                ChangedSince?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description Sent as `ChangedSince`, it asks for what changed since this answer.
                     * @example mb1ou4ao-2f6-hqy6qs8cdk
                     */
                    "Vantage-Revision": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Method": "HTTP",
                     *         "Status": "Up",
                     *         "StatusSince": "2026-02-25T23:38:03+01:00",
                     *         "Enabled": true,
                     *         "Retrying": false,
                     *         "Severity": "critical",
                     *         "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *         "DownBecause": null,
                     *         "Tags": [
                     *           {
                     *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "shop"
                     *           }
                     *         ],
                     *         "Locations": [
                     *           {
                     *             "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "local"
                     *           }
                     *         ],
                     *         "LastCheck": {
                     *           "Timestamp": "2026-02-25T23:38:03+01:00",
                     *           "RequestTime": 48.9,
                     *           "ResultCode": 1
                     *         },
                     *         "Master": {
                     *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "ShortName": "gw-1"
                     *         },
                     *         "Day": "UUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUUDDDUUUUUUUUU",
                     *         "Settings": {
                     *           "URL": "https://www.example.com/",
                     *           "Method": "HTTP",
                     *           "Frequency": 5,
                     *           "FrequencySeconds": null,
                     *           "ShortName": "web-1",
                     *           "FullName": "Web shop, front page",
                     *           "ExternalKey": "cmdb-4711",
                     *           "Enabled": true,
                     *           "Severity": "critical",
                     *           "Source": "net/berlin",
                     *           "Timeout": 30,
                     *           "Retries": 2,
                     *           "Attempts": 3,
                     *           "RetryDelay": 1,
                     *           "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "device_master_id": null,
                     *           "Locations": [
                     *             "local"
                     *           ],
                     *           "Options": {
                     *             "Count": 3
                     *           },
                     *           "Tags": [
                     *             {
                     *               "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *               "Name": "shop"
                     *             }
                     *           ]
                     *         },
                     *         "Gone": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeviceState"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeviceEvents: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Events before this moment; default: now. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp?: string;
                /**
                 * @description Rows from this moment on. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Rows up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a Location: its rows only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description Events of these types only, joined by commas: Type=Down,Up. Accepted are Created, Changed, Error, Recovered, Partial, Down, Up, Unknown, MaintStart, MaintEnd, Slow, Fast, CertificateExpiring, Alert, AlertFailed, AlertSuppressed, LocationOffline, LocationOnline, AnchorDown, AnchorUp, AgentFenced, AgentRevoked, AgentUpgraded, AgentUpgradeFailed.
                 * @example Down,Up
                 */
                Type?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A event_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "event_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "Type": "Down",
                     *         "Status": "Up",
                     *         "Location": "local",
                     *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "CheckResult": "200 OK",
                     *         "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Message": "Down: connection refused by 192.0.2.80:443",
                     *         "Duration": 312,
                     *         "Late": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Event"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Events before this moment; default: now. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp?: string;
                /**
                 * @description Rows from this moment on. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Rows up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a Location: its rows only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description Events of these types only, joined by commas: Type=Down,Up. Accepted are Created, Changed, Error, Recovered, Partial, Down, Up, Unknown, MaintStart, MaintEnd, Slow, Fast, CertificateExpiring, Alert, AlertFailed, AlertSuppressed, LocationOffline, LocationOnline, AnchorDown, AnchorUp, AgentFenced, AgentRevoked, AgentUpgraded, AgentUpgradeFailed.
                 * @example Down,Up
                 */
                Type?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A event_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
                /**
                 * @description A device_id: events of this device only.
                 * @example text
                 */
                Device?: string;
                /**
                 * @description Name or id of a tag: events of devices that have it now only.
                 * @example berlin/rack-3
                 */
                Tag?: string;
                /**
                 * @description Server-sent events instead: each new event once, as it is recorded; Last-Event-ID resumes after that event. It obeys Type, Location, Device and Tag, and refuses the other parameters.
                 * @example 0
                 */
                stream?: "0" | "1" | "" | "true" | "Y" | "false" | "N";
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
                /**
                 * @description For a stream: the id of the last event that the reader has; the answer begins with the events after it.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "event_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "Type": "Down",
                     *         "Status": "Up",
                     *         "Location": "local",
                     *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "CheckResult": "200 OK",
                     *         "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Message": "Down: connection refused by 192.0.2.80:443",
                     *         "Duration": 312,
                     *         "Late": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Event"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    startMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Duration": "01:30",
                 *       "Reason": "Kernel update",
                 *       "Start": "2026-03-01T02:00:00+01:00"
                 *     }
                 */
                "application/json": components["schemas"]["MaintenanceStart"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "Up",
                     *       "URL": "https://www.example.com/",
                     *       "Frequency": 5,
                     *       "FrequencySeconds": null,
                     *       "LastCheckResult": "200 OK",
                     *       "StatusSince": "2026-02-25T23:38:03+01:00",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Enabled": true,
                     *       "Severity": "critical",
                     *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *       "Retrying": false,
                     *       "DownBecause": null,
                     *       "Source": "net/berlin",
                     *       "Timeout": 30,
                     *       "Retries": 2,
                     *       "Attempts": 3,
                     *       "RetryDelay": 1,
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_master_id": null,
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Warnings": [],
                     *       "Maintenance": [
                     *         {
                     *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Source": "Manual",
                     *           "mschedule_id": null,
                     *           "Start": "2026-02-25T23:38:03+01:00",
                     *           "End": "2026-02-25T23:38:03+01:00",
                     *           "Reason": "Kernel update",
                     *           "By": "Ada"
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Method": "HTTP",
                     *       "Options": {
                     *         "ExpectText": "Welcome",
                     *         "MaxTimeMs": 2000,
                     *         "Headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       },
                     *       "HostData": {
                     *         "headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    stopMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "Up",
                     *       "URL": "https://www.example.com/",
                     *       "Frequency": 5,
                     *       "FrequencySeconds": null,
                     *       "LastCheckResult": "200 OK",
                     *       "StatusSince": "2026-02-25T23:38:03+01:00",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Enabled": true,
                     *       "Severity": "critical",
                     *       "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *       "Retrying": false,
                     *       "DownBecause": null,
                     *       "Source": "net/berlin",
                     *       "Timeout": 30,
                     *       "Retries": 2,
                     *       "Attempts": 3,
                     *       "RetryDelay": 1,
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_master_id": null,
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Warnings": [],
                     *       "Maintenance": [
                     *         {
                     *           "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Source": "Manual",
                     *           "mschedule_id": null,
                     *           "Start": "2026-02-25T23:38:03+01:00",
                     *           "End": "2026-02-25T23:38:03+01:00",
                     *           "Reason": "Kernel update",
                     *           "By": "Ada"
                     *         }
                     *       ],
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Method": "HTTP",
                     *       "Options": {
                     *         "ExpectText": "Welcome",
                     *         "MaxTimeMs": 2000,
                     *         "Headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       },
                     *       "HostData": {
                     *         "headers": {
                     *           "Accept-Language": "en"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description A device_id: the maintenance of this device only.
                 * @example text
                 */
                Device?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Source": "Manual",
                     *         "mschedule_id": null,
                     *         "Start": "2026-02-25T23:38:03+01:00",
                     *         "End": "2026-02-25T23:38:03+01:00",
                     *         "Reason": "Kernel update",
                     *         "By": "Ada",
                     *         "Devices": [
                     *           "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *         ],
                     *         "DeviceCount": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Maintenance"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The maintenance_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                maintenance_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Source": "Manual",
                     *       "mschedule_id": null,
                     *       "Start": "2026-02-25T23:38:03+01:00",
                     *       "End": "2026-02-25T23:38:03+01:00",
                     *       "Reason": "Kernel update",
                     *       "By": "Ada",
                     *       "Devices": [
                     *         "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *       ],
                     *       "DeviceCount": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Maintenance"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    endMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The maintenance_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                maintenance_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "maintenance_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the maintenance.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        maintenance_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeviceOutages: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Outages that ended after this moment or are open. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Outages that started up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a Location: outages with an error from there only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description true: outages that have not ended only; false: those that have.
                 * @example true
                 */
                Open?: "true" | "Y" | "false" | "N";
                /**
                 * @description Outages of at least so many seconds only.
                 * @example 300
                 */
                MinSeconds?: number;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A outage_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "outage_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Start": "2026-02-25T23:38:03+01:00",
                     *         "End": "2026-02-25T23:38:03+01:00",
                     *         "Seconds": 312,
                     *         "Location": "local",
                     *         "Locations": [
                     *           "local"
                     *         ],
                     *         "CheckResult": "connection refused by 192.0.2.10:443",
                     *         "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Acknowledged": false,
                     *         "Behind": 0,
                     *         "Note": "power of rack 3, see the post-mortem",
                     *         "Excluded": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Outage"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOutages: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Outages that ended after this moment or are open. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Outages that started up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a Location: outages with an error from there only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description true: outages that have not ended only; false: those that have.
                 * @example true
                 */
                Open?: "true" | "Y" | "false" | "N";
                /**
                 * @description Outages of at least so many seconds only.
                 * @example 300
                 */
                MinSeconds?: number;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A outage_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
                /**
                 * @description Name or id of a tag: outages of devices that have it now only.
                 * @example berlin/rack-3
                 */
                Tag?: string;
                /**
                 * @description Outages of devices of this Method only.
                 * @example HTTP
                 */
                Method?: "HTTP" | "PING" | "SMTP" | "POP3" | "MySQL" | "IMAP4" | "FTP" | "TELNET" | "SSH" | "NNTP" | "TCP" | "DNS" | "Script";
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "outage_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Start": "2026-02-25T23:38:03+01:00",
                     *         "End": "2026-02-25T23:38:03+01:00",
                     *         "Seconds": 312,
                     *         "Location": "local",
                     *         "Locations": [
                     *           "local"
                     *         ],
                     *         "CheckResult": "connection refused by 192.0.2.10:443",
                     *         "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Acknowledged": false,
                     *         "Behind": 0,
                     *         "Note": "power of rack 3, see the post-mortem",
                     *         "Excluded": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Outage"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOutage: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The outage_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                outage_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outage_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "Start": "2026-02-25T23:38:03+01:00",
                     *       "End": "2026-02-25T23:38:03+01:00",
                     *       "Seconds": 312,
                     *       "Location": "local",
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "CheckResult": "connection refused by 192.0.2.10:443",
                     *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Acknowledged": false,
                     *       "Behind": 0,
                     *       "Note": "power of rack 3, see the post-mortem",
                     *       "Excluded": true
                     *     }
                     */
                    "application/json": components["schemas"]["Outage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOutage: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The outage_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                outage_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Note": "power of rack 3, see the post-mortem",
                 *       "Excluded": true
                 *     }
                 */
                "application/json": components["schemas"]["OutageUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outage_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "Start": "2026-02-25T23:38:03+01:00",
                     *       "End": "2026-02-25T23:38:03+01:00",
                     *       "Seconds": 312,
                     *       "Location": "local",
                     *       "Locations": [
                     *         "local"
                     *       ],
                     *       "CheckResult": "connection refused by 192.0.2.10:443",
                     *       "check_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Acknowledged": false,
                     *       "Behind": 0,
                     *       "Note": "power of rack 3, see the post-mortem",
                     *       "Excluded": true
                     *     }
                     */
                    "application/json": components["schemas"]["Outage"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    "getDeviceSuggested-master": {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "SuggestedMaster": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "gw",
                     *       "Address": "192.0.2.1",
                     *       "Traceroutes": 3,
                     *       "Complete": true,
                     *       "Reason": "no router on the way is a device of this account"
                     *     }
                     */
                    "application/json": components["schemas"]["SuggestedMaster"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    traceDeviceNow: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description What is accepted, but likely not meant; several are joined by `; `.
                     * @example The private address 192.0.2.1 is checked from several Locations.
                     */
                    "Vantage-Warning"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "check_id": "0000002a0006a2b1c3d4e5f60000000700000000000000ff",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Agent": "agent-1",
                     *       "Timestamp": "2026-02-25T23:38:03+01:00",
                     *       "CheckResult": "connected",
                     *       "Reached": true,
                     *       "Hops": [
                     *         {
                     *           "TTL": 1,
                     *           "Address": "192.0.2.1",
                     *           "RTTMs": 0.4,
                     *           "Text": null
                     *         },
                     *         {
                     *           "TTL": 2,
                     *           "Address": "198.51.100.7",
                     *           "RTTMs": 3.1,
                     *           "Text": "connected"
                     *         }
                     *       ],
                     *       "SuggestedMaster": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": components["schemas"]["Traceroute"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTimeline: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Name or id of a tag: its devices only.
                 * @example shop
                 */
                Tag?: string;
                /**
                 * @description Ids of devices, joined by commas: these only.
                 * @example 27ffe370b5a1f0c4d86e9a3257b81c6f4e0d92a7c35b18fe,8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Devices?: string;
                /**
                 * @description Names or ids of Locations, joined by commas: the devices that are checked from there only.
                 * @example local
                 */
                Locations?: string;
                /**
                 * @description Begin; default: a day before the end. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description End, not included; default, and at most: now. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Seconds: neighbouring intervals that are shorter are joined under their worst status. Default: a 500th of the period.
                 * @example 300
                 */
                Resolution?: number;
                /**
                 * @description Most rows to return; more than 500 is taken as 500.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with After. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A device_id: the rows that were created after this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                After?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Intervals": [
                     *           {
                     *             "Start": "2026-02-25T23:38:03+01:00",
                     *             "End": "2026-02-25T23:38:03+01:00",
                     *             "Status": "Up",
                     *             "Seconds": 3600
                     *           },
                     *           {
                     *             "Start": "2026-02-25T23:38:03+01:00",
                     *             "End": null,
                     *             "Status": "Down",
                     *             "Seconds": 48,
                     *             "Mixed": true
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeviceTimeline"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUptime: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Begin; default: since creation. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description End, not included; default, and at most: now. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Uptime": {
                     *         "UpSeconds": 2415288,
                     *         "DownSeconds": 312,
                     *         "MaintenanceSeconds": 3600,
                     *         "UnknownSeconds": 0,
                     *         "Outages": 1,
                     *         "Percent": 99.987084,
                     *         "ExcludedSeconds": 0,
                     *         "ExcludedOutages": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Uptime"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUptimes: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Begin; default: since creation. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description End, not included; default, and at most: now. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Name or id of a tag: its devices only.
                 * @example shop
                 */
                Tag?: string;
                /**
                 * @description Ids of devices, joined by commas: these only.
                 * @example 27ffe370b5a1f0c4d86e9a3257b81c6f4e0d92a7c35b18fe,8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Devices?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with After. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A device_id: the rows that were created after this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                After?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Uptime": {
                     *           "UpSeconds": 2415288,
                     *           "DownSeconds": 312,
                     *           "MaintenanceSeconds": 3600,
                     *           "UnknownSeconds": 0,
                     *           "Outages": 1,
                     *           "Percent": 99.987084,
                     *           "ExcludedSeconds": 0,
                     *           "ExcludedOutages": 0
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["UptimeOfDevice"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Begin; default: since creation. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description End; default, and at most: now. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description All: the whole period. Days and weeks (from Monday) are those of the account's time zone.
                 * @example All
                 */
                Bucket?: "All" | "5Min" | "15Min" | "Hour" | "Day" | "Week";
                /**
                 * @description Name or id of a Location: its rows only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description What each row has besides: Phases, Histogram, joined by commas.
                 * @example Phases
                 */
                With?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "Location": "local",
                     *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Count": 3,
                     *         "Retries": 2,
                     *         "OnRequest": 0,
                     *         "Errors": 0,
                     *         "Inconclusive": 0,
                     *         "Availability": 99.97,
                     *         "Loss": 0,
                     *         "MinTime": 31.5,
                     *         "MeanTime": 48.9,
                     *         "MaxTime": 210.4,
                     *         "P50": 44.7,
                     *         "P90": 71.2,
                     *         "P95": 88.6,
                     *         "P99": 140.3,
                     *         "Phases": {
                     *           "DNSTime": {
                     *             "Mean": 1.4,
                     *             "P50": 1.2,
                     *             "P95": 2.3
                     *           },
                     *           "ConnectTime": {
                     *             "Mean": 1.4,
                     *             "P50": 1.2,
                     *             "P95": 2.3
                     *           },
                     *           "SSLTime": {
                     *             "Mean": 1.4,
                     *             "P50": 1.2,
                     *             "P95": 2.3
                     *           },
                     *           "TTFB": {
                     *             "Mean": 1.4,
                     *             "P50": 1.2,
                     *             "P95": 2.3
                     *           },
                     *           "TTLB": {
                     *             "Mean": 1.4,
                     *             "P50": 1.2,
                     *             "P95": 2.3
                     *           }
                     *         },
                     *         "Histogram": [
                     *           [
                     *             12.4,
                     *             55
                     *           ],
                     *           [
                     *             12.9,
                     *             5
                     *           ]
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Statistics"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "shop",
                     *         "ExternalKey": "cmdb-4711",
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TagEntry"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "shop",
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["TagCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the tag.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        tag_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "shop",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin",
                     *       "Devices": [
                     *         {
                     *           "Status": "Up",
                     *           "URL": "https://www.example.com/",
                     *           "Method": "HTTP",
                     *           "Frequency": 5,
                     *           "FrequencySeconds": null,
                     *           "LastCheckResult": "200 OK",
                     *           "StatusSince": "2026-02-25T23:38:03+01:00",
                     *           "ShortName": "web-1",
                     *           "FullName": "Web shop, front page",
                     *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "ExternalKey": "cmdb-4711",
                     *           "Enabled": true,
                     *           "Severity": "critical",
                     *           "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *           "Retrying": false,
                     *           "DownBecause": null,
                     *           "Source": "net/berlin"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "shop",
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["TagUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "shop",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin",
                     *       "Devices": [
                     *         {
                     *           "Status": "Up",
                     *           "URL": "https://www.example.com/",
                     *           "Method": "HTTP",
                     *           "Frequency": 5,
                     *           "FrequencySeconds": null,
                     *           "LastCheckResult": "200 OK",
                     *           "StatusSince": "2026-02-25T23:38:03+01:00",
                     *           "ShortName": "web-1",
                     *           "FullName": "Web shop, front page",
                     *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "ExternalKey": "cmdb-4711",
                     *           "Enabled": true,
                     *           "Severity": "critical",
                     *           "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *           "Retrying": false,
                     *           "DownBecause": null,
                     *           "Source": "net/berlin"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the tag.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        tag_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    attachTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the tag.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        tag_id: components["schemas"]["Id"];
                        /**
                         * @description Id of the device.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        device_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    detachTag: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
                /**
                 * @description The device_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the tag.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        tag_id: components["schemas"]["Id"];
                        /**
                         * @description Id of the device.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        device_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    startTagMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Duration": "01:30",
                 *       "Reason": "Kernel update",
                 *       "Start": "2026-03-01T02:00:00+01:00"
                 *     }
                 */
                "application/json": components["schemas"]["MaintenanceStart"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "shop",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin",
                     *       "Devices": [
                     *         {
                     *           "Status": "Up",
                     *           "URL": "https://www.example.com/",
                     *           "Method": "HTTP",
                     *           "Frequency": 5,
                     *           "FrequencySeconds": null,
                     *           "LastCheckResult": "200 OK",
                     *           "StatusSince": "2026-02-25T23:38:03+01:00",
                     *           "ShortName": "web-1",
                     *           "FullName": "Web shop, front page",
                     *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "ExternalKey": "cmdb-4711",
                     *           "Enabled": true,
                     *           "Severity": "critical",
                     *           "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *           "Retrying": false,
                     *           "DownBecause": null,
                     *           "Source": "net/berlin"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    stopTagMaintenance: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The tag_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                tag_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "shop",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin",
                     *       "Devices": [
                     *         {
                     *           "Status": "Up",
                     *           "URL": "https://www.example.com/",
                     *           "Method": "HTTP",
                     *           "Frequency": 5,
                     *           "FrequencySeconds": null,
                     *           "LastCheckResult": "200 OK",
                     *           "StatusSince": "2026-02-25T23:38:03+01:00",
                     *           "ShortName": "web-1",
                     *           "FullName": "Web shop, front page",
                     *           "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "ExternalKey": "cmdb-4711",
                     *           "Enabled": true,
                     *           "Severity": "critical",
                     *           "MaintenanceUntil": "2026-02-25T23:38:03+01:00",
                     *           "Retrying": false,
                     *           "DownBecause": null,
                     *           "Source": "net/berlin"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Example Ltd",
                     *       "Timezone": "Europe/Berlin",
                     *       "DefaultLocations": [
                     *         "local"
                     *       ],
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "RetentionDays": 90
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAccount: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Timezone": "Europe/Berlin",
                 *       "DefaultLocations": [
                 *         "local"
                 *       ],
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *     }
                 */
                "application/json": components["schemas"]["AccountUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Example Ltd",
                     *       "Timezone": "Europe/Berlin",
                     *       "DefaultLocations": [
                     *         "local"
                     *       ],
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "RetentionDays": 90
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLocations: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "local",
                     *         "ExternalKey": "cmdb-4711",
                     *         "Anchors": [
                     *           {
                     *             "Name": "gateway",
                     *             "Target": "192.0.2.1",
                     *             "Networks": [
                     *               "198.51.100.0/24"
                     *             ]
                     *           }
                     *         ],
                     *         "AnchorStates": [
                     *           {
                     *             "Name": "gateway",
                     *             "State": "Up",
                     *             "Reason": null
                     *           }
                     *         ],
                     *         "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "PublicTargetsOnly": false,
                     *         "Online": true,
                     *         "OfflineReason": null,
                     *         "Agents": {
                     *           "Count": 2,
                     *           "Connected": 2
                     *         },
                     *         "Load": {
                     *           "Devices": 61,
                     *           "ChecksPerMinute": 12.2,
                     *           "Capacity": 60000
                     *         },
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Location"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLocation: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Oslo",
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin",
                 *       "PublicTargetsOnly": false,
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "Anchors": [
                 *         {
                 *           "Name": "gateway",
                 *           "Target": "192.0.2.1",
                 *           "Networks": [
                 *             "198.51.100.0/24"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LocationCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the Location.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        location_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLocation: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The location_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Anchors": [
                     *         {
                     *           "Name": "gateway",
                     *           "Target": "192.0.2.1",
                     *           "Networks": [
                     *             "198.51.100.0/24"
                     *           ]
                     *         }
                     *       ],
                     *       "AnchorStates": [
                     *         {
                     *           "Name": "gateway",
                     *           "State": "Up",
                     *           "Reason": null
                     *         }
                     *       ],
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "PublicTargetsOnly": false,
                     *       "Online": true,
                     *       "OfflineReason": null,
                     *       "Agents": {
                     *         "Count": 2,
                     *         "Connected": 2
                     *       },
                     *       "Load": {
                     *         "Devices": 61,
                     *         "ChecksPerMinute": 12.2,
                     *         "Capacity": 60000
                     *       },
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Location"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateLocation: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The location_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                location_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Oslo",
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin",
                 *       "PublicTargetsOnly": false,
                 *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *       "Anchors": [
                 *         {
                 *           "Name": "gateway",
                 *           "Target": "192.0.2.1",
                 *           "Networks": [
                 *             "198.51.100.0/24"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LocationUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "ExternalKey": "cmdb-4711",
                     *       "Anchors": [
                     *         {
                     *           "Name": "gateway",
                     *           "Target": "192.0.2.1",
                     *           "Networks": [
                     *             "198.51.100.0/24"
                     *           ]
                     *         }
                     *       ],
                     *       "AnchorStates": [
                     *         {
                     *           "Name": "gateway",
                     *           "State": "Up",
                     *           "Reason": null
                     *         }
                     *       ],
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "PublicTargetsOnly": false,
                     *       "Online": true,
                     *       "OfflineReason": null,
                     *       "Agents": {
                     *         "Count": 2,
                     *         "Connected": 2
                     *       },
                     *       "Load": {
                     *         "Devices": 61,
                     *         "ChecksPerMinute": 12.2,
                     *         "Capacity": 60000
                     *       },
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Location"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteLocation: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The location_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the Location.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        location_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Location": "local",
                     *         "Name": "agent-1",
                     *         "HostName": "edge-1.example.com",
                     *         "Version": "0.2.0",
                     *         "State": "Connected",
                     *         "LastSeen": "2026-02-25T23:38:03+01:00",
                     *         "ClockOffset": 0.8,
                     *         "Backlog": 0,
                     *         "Lateness": {
                     *           "p50": 1.2,
                     *           "p99": 9.8
                     *         },
                     *         "Capacity": 60000,
                     *         "Load": 12.2,
                     *         "OfflineReason": null,
                     *         "CertificateEnd": "2026-02-25T23:38:03+01:00",
                     *         "Upgrade": {
                     *           "Version": "0.3.0",
                     *           "State": "Failed",
                     *           "Since": "2026-02-25T22:38:03+00:00",
                     *           "Reason": "version 0.3.0 did not connect and report within 120 s"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Agent"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgent: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The agent_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Name": "agent-1",
                     *       "HostName": "edge-1.example.com",
                     *       "Version": "0.2.0",
                     *       "State": "Connected",
                     *       "LastSeen": "2026-02-25T23:38:03+01:00",
                     *       "ClockOffset": 0.8,
                     *       "Backlog": 0,
                     *       "Lateness": {
                     *         "p50": 1.2,
                     *         "p99": 9.8
                     *       },
                     *       "Capacity": 60000,
                     *       "Load": 12.2,
                     *       "OfflineReason": null,
                     *       "CertificateEnd": "2026-02-25T23:38:03+01:00",
                     *       "Upgrade": {
                     *         "Version": "0.3.0",
                     *         "State": "Failed",
                     *         "Since": "2026-02-25T22:38:03+00:00",
                     *         "Reason": "version 0.3.0 did not connect and report within 120 s"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAgent: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The agent_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "agent-1",
                 *       "Location": "Oslo"
                 *     }
                 */
                "application/json": components["schemas"]["AgentUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Name": "agent-1",
                     *       "HostName": "edge-1.example.com",
                     *       "Version": "0.2.0",
                     *       "State": "Connected",
                     *       "LastSeen": "2026-02-25T23:38:03+01:00",
                     *       "ClockOffset": 0.8,
                     *       "Backlog": 0,
                     *       "Lateness": {
                     *         "p50": 1.2,
                     *         "p99": 9.8
                     *       },
                     *       "Capacity": 60000,
                     *       "Load": 12.2,
                     *       "OfflineReason": null,
                     *       "CertificateEnd": "2026-02-25T23:38:03+01:00",
                     *       "Upgrade": {
                     *         "Version": "0.3.0",
                     *         "State": "Failed",
                     *         "Since": "2026-02-25T22:38:03+00:00",
                     *         "Reason": "version 0.3.0 did not connect and report within 120 s"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeAgent: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The agent_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the agent.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        agent_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteAgent: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Location": "Oslo",
                 *       "Name": "agent-1"
                 *     }
                 */
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitation_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Token": "5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e4",
                     *       "Expires": "2026-02-25T23:38:03+01:00",
                     *       "Command": "sh -c '…curl -sSk --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444",
                     *       "CommandWget": "sh -c '…wget -nv --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    upgradeAgent: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The agent_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Version": "0.3.0"
                 *     }
                 */
                "application/json": components["schemas"]["AgentUpgradeRequest"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Location": "local",
                     *       "Name": "agent-1",
                     *       "HostName": "edge-1.example.com",
                     *       "Version": "0.2.0",
                     *       "State": "Connected",
                     *       "LastSeen": "2026-02-25T23:38:03+01:00",
                     *       "ClockOffset": 0.8,
                     *       "Backlog": 0,
                     *       "Lateness": {
                     *         "p50": 1.2,
                     *         "p99": 9.8
                     *       },
                     *       "Capacity": 60000,
                     *       "Load": 12.2,
                     *       "OfflineReason": null,
                     *       "CertificateEnd": "2026-02-25T23:38:03+01:00",
                     *       "Upgrade": {
                     *         "Version": "0.3.0",
                     *         "State": "Failed",
                     *         "Since": "2026-02-25T22:38:03+00:00",
                     *         "Reason": "version 0.3.0 did not connect and report within 120 s"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "Operations",
                     *         "Type": "email",
                     *         "Address": "noc@example.org",
                     *         "Options": {
                     *           "To": "+4712345678",
                     *           "Body": "{\"text\": \"{{Text}}\"}",
                     *           "ContentType": "application/json",
                     *           "SecretHeader": "X-Api-Key"
                     *         },
                     *         "Notify": null,
                     *         "Shadow": false,
                     *         "ExternalKey": "cmdb-4711",
                     *         "PreviousSecretUntil": null,
                     *         "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Contact"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Operations",
                 *       "Type": "email",
                 *       "Address": "noc@example.org",
                 *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                 *       "Options": {
                 *         "To": "+4712345678",
                 *         "Body": "{\"text\": \"{{Text}}\"}",
                 *         "ContentType": "application/json",
                 *         "SecretHeader": "X-Api-Key"
                 *       },
                 *       "Notify": [
                 *         "device.down",
                 *         "device.up"
                 *       ],
                 *       "Shadow": false,
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["ContactCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the contact.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        contact_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Operations",
                     *       "Type": "email",
                     *       "Address": "noc@example.org",
                     *       "Options": {
                     *         "To": "+4712345678",
                     *         "Body": "{\"text\": \"{{Text}}\"}",
                     *         "ContentType": "application/json",
                     *         "SecretHeader": "X-Api-Key"
                     *       },
                     *       "Notify": null,
                     *       "Shadow": false,
                     *       "ExternalKey": "cmdb-4711",
                     *       "PreviousSecretUntil": null,
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Contact"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Operations",
                 *       "Type": "email",
                 *       "Address": "noc@example.org",
                 *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                 *       "Options": {
                 *         "To": "+4712345678",
                 *         "Body": "{\"text\": \"{{Text}}\"}",
                 *         "ContentType": "application/json",
                 *         "SecretHeader": "X-Api-Key"
                 *       },
                 *       "Notify": [
                 *         "device.down",
                 *         "device.up"
                 *       ],
                 *       "Shadow": false,
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["ContactUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Operations",
                     *       "Type": "email",
                     *       "Address": "noc@example.org",
                     *       "Options": {
                     *         "To": "+4712345678",
                     *         "Body": "{\"text\": \"{{Text}}\"}",
                     *         "ContentType": "application/json",
                     *         "SecretHeader": "X-Api-Key"
                     *       },
                     *       "Notify": null,
                     *       "Shadow": false,
                     *       "ExternalKey": "cmdb-4711",
                     *       "PreviousSecretUntil": null,
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["Contact"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the contact.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        contact_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Delivered": true,
                     *       "Answer": "200 OK"
                     *     }
                     */
                    "application/json": components["schemas"]["ContactTest"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateContact: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listContactDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A delivery_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "delivery_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "Kind": "device.down",
                     *         "Severity": "critical",
                     *         "At": "2026-02-25T23:38:03+01:00",
                     *         "State": "Delivered",
                     *         "Ended": "2026-02-25T23:38:04+01:00",
                     *         "MergedInto": null,
                     *         "Attempts": [
                     *           {
                     *             "At": "2026-02-25T23:38:03+01:00",
                     *             "Answer": "HTTP 204 No Content"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    repeatContactDeliverie: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The contact_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                contact_id: string;
                /**
                 * @description The delivery_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryRepeated"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewNschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Steps": [
                 *         {
                 *           "DelayMinutes": 0,
                 *           "Contacts": [
                 *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           ],
                 *           "Days": [
                 *             "Mon",
                 *             "Tue"
                 *           ],
                 *           "From": "08:00",
                 *           "To": "18:00"
                 *         }
                 *       ],
                 *       "Timezone": "Europe/Berlin",
                 *       "At": "2026-03-01T03:10:00+01:00",
                 *       "Severity": "critical",
                 *       "Kind": "device.down"
                 *     }
                 */
                "application/json": components["schemas"]["NotificationSchedulePreview"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "Steps": [
                     *           1
                     *         ],
                     *         "Repeat": false,
                     *         "Contacts": [
                     *           {
                     *             "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "Operations"
                     *           }
                     *         ],
                     *         "NotNotified": [],
                     *         "Text": "Mon 08:00, after 4 h 50 min: Operations."
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PreviewedMessage"][];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listNschedules: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "Office hours",
                     *         "Timezone": "Europe/Berlin",
                     *         "Steps": [
                     *           {
                     *             "DelayMinutes": 0,
                     *             "Contacts": [
                     *               "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *             ],
                     *             "Days": [
                     *               "Mon",
                     *               "Tue"
                     *             ],
                     *             "From": "08:00",
                     *             "To": "18:00"
                     *           }
                     *         ],
                     *         "ExternalKey": "cmdb-4711",
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NotificationSchedule"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createNschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Office hours",
                 *       "Timezone": "Europe/Berlin",
                 *       "Steps": [
                 *         {
                 *           "DelayMinutes": 0,
                 *           "Contacts": [
                 *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           ],
                 *           "Days": [
                 *             "Mon",
                 *             "Tue"
                 *           ],
                 *           "From": "08:00",
                 *           "To": "18:00"
                 *         }
                 *       ],
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["NotificationScheduleCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the notification schedule; null: none.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        nschedule_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The nschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                nschedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Office hours",
                     *       "Timezone": "Europe/Berlin",
                     *       "Steps": [
                     *         {
                     *           "DelayMinutes": 0,
                     *           "Contacts": [
                     *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *           ],
                     *           "Days": [
                     *             "Mon",
                     *             "Tue"
                     *           ],
                     *           "From": "08:00",
                     *           "To": "18:00"
                     *         }
                     *       ],
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationSchedule"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateNschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The nschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                nschedule_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Office hours",
                 *       "Timezone": "Europe/Berlin",
                 *       "Steps": [
                 *         {
                 *           "DelayMinutes": 0,
                 *           "Contacts": [
                 *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *           ],
                 *           "Days": [
                 *             "Mon",
                 *             "Tue"
                 *           ],
                 *           "From": "08:00",
                 *           "To": "18:00"
                 *         }
                 *       ],
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["NotificationScheduleUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Office hours",
                     *       "Timezone": "Europe/Berlin",
                     *       "Steps": [
                     *         {
                     *           "DelayMinutes": 0,
                     *           "Contacts": [
                     *             "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *           ],
                     *           "Days": [
                     *             "Mon",
                     *             "Tue"
                     *           ],
                     *           "From": "08:00",
                     *           "To": "18:00"
                     *         }
                     *       ],
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationSchedule"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteNschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The nschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                nschedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the notification schedule; null: none.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        nschedule_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMschedules: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description The one with this ExternalKey only.
                 * @example cmdb-4711
                 */
                ExternalKey?: string;
                /**
                 * @description Those with this Source only.
                 * @example net/berlin
                 */
                Source?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "Patch Sunday",
                     *         "Timezone": "Europe/Berlin",
                     *         "Start": "2026-03-01T02:00",
                     *         "Duration": "02:00",
                     *         "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
                     *         "EndOnFirstOk": false,
                     *         "ExternalKey": "cmdb-4711",
                     *         "Source": "net/berlin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MaintenanceSchedule"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Patch Sunday",
                 *       "Timezone": "Europe/Berlin",
                 *       "Start": "2026-03-01T02:00",
                 *       "Duration": "02:00",
                 *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
                 *       "EndOnFirstOk": false,
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["MaintenanceScheduleCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the maintenance schedule; null: none.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        mschedule_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The mschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                mschedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Patch Sunday",
                     *       "Timezone": "Europe/Berlin",
                     *       "Start": "2026-03-01T02:00",
                     *       "Duration": "02:00",
                     *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
                     *       "EndOnFirstOk": false,
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceSchedule"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The mschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                mschedule_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Patch Sunday",
                 *       "Timezone": "Europe/Berlin",
                 *       "Start": "2026-03-01T02:00",
                 *       "Duration": "02:00",
                 *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
                 *       "EndOnFirstOk": false,
                 *       "ExternalKey": "cmdb-4711",
                 *       "Source": "net/berlin"
                 *     }
                 */
                "application/json": components["schemas"]["MaintenanceScheduleUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "Patch Sunday",
                     *       "Timezone": "Europe/Berlin",
                     *       "Start": "2026-03-01T02:00",
                     *       "Duration": "02:00",
                     *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU",
                     *       "EndOnFirstOk": false,
                     *       "ExternalKey": "cmdb-4711",
                     *       "Source": "net/berlin"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceSchedule"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The mschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                mschedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mschedule_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the maintenance schedule; null: none.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        mschedule_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The mschedule_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                mschedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "LocalStart": "2026-03-01T02:00",
                     *         "Start": "2026-02-25T23:38:03+01:00",
                     *         "End": "2026-02-25T23:38:03+01:00",
                     *         "Note": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MaintenanceWindow"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewNewMschedule: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Timezone": "Europe/Berlin",
                 *       "Start": "2026-03-01T02:00",
                 *       "Duration": "02:00",
                 *       "Recurrence": "FREQ=WEEKLY;BYDAY=SU"
                 *     }
                 */
                "application/json": components["schemas"]["MaintenanceSchedulePreview"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "LocalStart": "2026-03-01T02:00",
                     *         "Start": "2026-02-25T23:38:03+01:00",
                     *         "End": "2026-02-25T23:38:03+01:00",
                     *         "Note": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MaintenanceWindow"][];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "API_SECRET",
                     *         "UpdatedAt": "2026-02-25T23:38:03+01:00"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Secret"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSecret: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "API_SECRET",
                 *       "Value": "a value that nobody reads again"
                 *     }
                 */
                "application/json": components["schemas"]["SecretCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the secret.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        secret_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSecret: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The secret_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                secret_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "API_SECRET",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSecret: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The secret_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                secret_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "API_SECRET",
                 *       "Value": "a value that nobody reads again"
                 *     }
                 */
                "application/json": components["schemas"]["SecretUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "API_SECRET",
                     *       "UpdatedAt": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Secret"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSecret: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The secret_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                secret_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the secret.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        secret_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAcknowledge: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Filter": {
                 *         "Tag": "berlin"
                 *       },
                 *       "Note": "on it"
                 *     }
                 */
                "application/json": components["schemas"]["AlertsAcknowledge"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Matched": 3,
                     *       "Changed": 2,
                     *       "Refused": [
                     *         {
                     *           "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Reason": "The alert is closed."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlertsChanged"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSnooze: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Alerts": [
                 *         "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                 *       ],
                 *       "Duration": "01:00"
                 *     }
                 */
                "application/json": components["schemas"]["AlertsSnooze"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Matched": 3,
                     *       "Changed": 2,
                     *       "Refused": [
                     *         {
                     *           "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Reason": "The alert is closed."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AlertsChanged"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Alerts of these states only, joined by commas. Accepted are Open, Acknowledged, Snoozed, Closed.
                 * @example Open,Acknowledged
                 */
                State?: string;
                /**
                 * @description critical, warning, info, joined by commas: alerts of one of these only.
                 * @example critical,warning
                 */
                Severity?: string;
                /**
                 * @description Name or id of a tag: alerts about devices that have it now only.
                 * @example berlin/rack-3
                 */
                Tag?: string;
                /**
                 * @description Name or id of a Location: alerts with a failure from there, or about it, only.
                 * @example local
                 */
                Location?: string;
                /**
                 * @description true: open alerts only whose messages are held back because the cause is elsewhere; false: the others.
                 * @example true
                 */
                Suppressed?: "true" | "Y" | "false" | "N";
                /**
                 * @description Alerts of this kind only.
                 * @example device.down
                 */
                Kind?: "device.down" | "device.up" | "device.flapping" | "device.partial" | "device.slow" | "certificate.expiring" | "location.offline" | "location.online" | "anchor.down" | "anchor.up" | "agent.fenced" | "contact.failing" | "late.summary" | "clock.wrong" | "disk.low" | "backup.old";
                /**
                 * @description A device_id: the alerts of this device only, also of a deleted one.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                Device?: string;
                /**
                 * @description true: alerts with messages for contacts in shadow only; false: the others only.
                 * @example true
                 */
                Shadow?: "true" | "Y" | "false" | "N";
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A alert_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "ShortName": "web-1",
                     *         "FullName": "Web shop, front page",
                     *         "Kind": "device.down",
                     *         "State": "Open",
                     *         "Opened": "2026-02-25T23:38:03+01:00",
                     *         "Closed": null,
                     *         "Since": "2026-02-25T23:38:03+01:00",
                     *         "Severity": "critical",
                     *         "Reason": "its master gw is Down",
                     *         "Shadow": true,
                     *         "Location": "local",
                     *         "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "CheckResult": "200 OK",
                     *         "Acknowledged": {
                     *           "By": "deploy",
                     *           "Note": "on it",
                     *           "At": "2026-02-25T23:38:03+01:00"
                     *         },
                     *         "SnoozedUntil": null,
                     *         "Notifications": [
                     *           {
                     *             "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "noc",
                     *             "Kind": "device.down",
                     *             "At": "2026-02-25T23:38:03+01:00",
                     *             "Step": 1,
                     *             "State": "Delivered",
                     *             "Attempts": [
                     *               {
                     *                 "At": "2026-02-25T23:38:04+01:00",
                     *                 "Answer": "HTTP 204 No Content"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Alert"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAlert: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The alert_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "Kind": "device.down",
                     *       "State": "Open",
                     *       "Opened": "2026-02-25T23:38:03+01:00",
                     *       "Closed": null,
                     *       "Since": "2026-02-25T23:38:03+01:00",
                     *       "Severity": "critical",
                     *       "Reason": "its master gw is Down",
                     *       "Shadow": true,
                     *       "Location": "local",
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "CheckResult": "200 OK",
                     *       "Acknowledged": {
                     *         "By": "deploy",
                     *         "Note": "on it",
                     *         "At": "2026-02-25T23:38:03+01:00"
                     *       },
                     *       "SnoozedUntil": null,
                     *       "Notifications": [
                     *         {
                     *           "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "noc",
                     *           "Kind": "device.down",
                     *           "At": "2026-02-25T23:38:03+01:00",
                     *           "Step": 1,
                     *           "State": "Delivered",
                     *           "Attempts": [
                     *             {
                     *               "At": "2026-02-25T23:38:04+01:00",
                     *               "Answer": "HTTP 204 No Content"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The alert_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                alert_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Note": "on it"
                 *     }
                 */
                "application/json": components["schemas"]["AlertAcknowledge"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "Kind": "device.down",
                     *       "State": "Open",
                     *       "Opened": "2026-02-25T23:38:03+01:00",
                     *       "Closed": null,
                     *       "Since": "2026-02-25T23:38:03+01:00",
                     *       "Severity": "critical",
                     *       "Reason": "its master gw is Down",
                     *       "Shadow": true,
                     *       "Location": "local",
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "CheckResult": "200 OK",
                     *       "Acknowledged": {
                     *         "By": "deploy",
                     *         "Note": "on it",
                     *         "At": "2026-02-25T23:38:03+01:00"
                     *       },
                     *       "SnoozedUntil": null,
                     *       "Notifications": [
                     *         {
                     *           "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "noc",
                     *           "Kind": "device.down",
                     *           "At": "2026-02-25T23:38:03+01:00",
                     *           "Step": 1,
                     *           "State": "Delivered",
                     *           "Attempts": [
                     *             {
                     *               "At": "2026-02-25T23:38:04+01:00",
                     *               "Answer": "HTTP 204 No Content"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    snoozeAlert: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The alert_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                alert_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Duration": "01:00"
                 *     }
                 */
                "application/json": components["schemas"]["AlertSnooze"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "alert_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "device_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "ShortName": "web-1",
                     *       "FullName": "Web shop, front page",
                     *       "Kind": "device.down",
                     *       "State": "Open",
                     *       "Opened": "2026-02-25T23:38:03+01:00",
                     *       "Closed": null,
                     *       "Since": "2026-02-25T23:38:03+01:00",
                     *       "Severity": "critical",
                     *       "Reason": "its master gw is Down",
                     *       "Shadow": true,
                     *       "Location": "local",
                     *       "location_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "CheckResult": "200 OK",
                     *       "Acknowledged": {
                     *         "By": "deploy",
                     *         "Note": "on it",
                     *         "At": "2026-02-25T23:38:03+01:00"
                     *       },
                     *       "SnoozedUntil": null,
                     *       "Notifications": [
                     *         {
                     *           "contact_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "noc",
                     *           "Kind": "device.down",
                     *           "At": "2026-02-25T23:38:03+01:00",
                     *           "Step": 1,
                     *           "State": "Delivered",
                     *           "Attempts": [
                     *             {
                     *               "At": "2026-02-25T23:38:04+01:00",
                     *               "Answer": "HTTP 204 No Content"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "local",
                     *         "Level": "UR",
                     *         "Tags": [
                     *           {
                     *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "shop"
                     *           }
                     *         ],
                     *         "Expires": "2026-02-25T23:38:03+01:00",
                     *         "LastUsed": "2026-02-25T23:38:03+01:00",
                     *         "LastAddress": "192.0.2.10",
                     *         "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *         "CreatedBy": "admin"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Key"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "local",
                 *       "Level": "UR",
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ],
                 *       "Expires": "2026-02-25T23:38:03+01:00"
                 *     }
                 */
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Key": "3f1c9a7e52d04b86a0c17e5f9d2b4863e8a1f0c5d7b92e4630f8d1a7c6e5b294"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The key_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "Level": "UR",
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Expires": "2026-02-25T23:38:03+01:00",
                     *       "LastUsed": "2026-02-25T23:38:03+01:00",
                     *       "LastAddress": "192.0.2.10",
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "CreatedBy": "admin"
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateKey: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The key_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                key_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "local",
                 *       "Level": "UR",
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ],
                 *       "Expires": "2026-02-25T23:38:03+01:00"
                 *     }
                 */
                "application/json": components["schemas"]["KeyUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "Level": "UR",
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "Expires": "2026-02-25T23:38:03+01:00",
                     *       "LastUsed": "2026-02-25T23:38:03+01:00",
                     *       "LastAddress": "192.0.2.10",
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00",
                     *       "CreatedBy": "admin"
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteKey: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The key_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the key; not the key itself.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        key_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100; default: all.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip.
                 * @example 0
                 */
                Offset?: number;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Name": "local",
                     *         "Email": "ada@example.org",
                     *         "Level": "UO",
                     *         "Tags": [
                     *           {
                     *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *             "Name": "shop"
                     *           }
                     *         ],
                     *         "SignIn": "Invited",
                     *         "LastSeen": "2026-02-25T23:38:03+01:00",
                     *         "CreatedAt": "2026-02-25T23:38:03+01:00"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["User"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteUser: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "local",
                 *       "Email": "ada@example.org",
                 *       "Level": "UR",
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Link": "https://monitor.example.com/invitation/3f1c9a7e52d04b86…",
                     *       "Expires": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["UserInvitation"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The user_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "Email": "ada@example.org",
                     *       "Level": "UO",
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "SignIn": "Invited",
                     *       "LastSeen": "2026-02-25T23:38:03+01:00",
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateUser: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The user_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                user_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "local",
                 *       "Email": "ada@example.org",
                 *       "Level": "UR",
                 *       "Tags": [
                 *         {
                 *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                 *           "Name": "shop"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Name": "local",
                     *       "Email": "ada@example.org",
                     *       "Level": "UO",
                     *       "Tags": [
                     *         {
                     *           "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *           "Name": "shop"
                     *         }
                     *       ],
                     *       "SignIn": "Invited",
                     *       "LastSeen": "2026-02-25T23:38:03+01:00",
                     *       "CreatedAt": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The user_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Id of the person.
                         * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                         */
                        user_id: components["schemas"]["Id"];
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    inviteUserAgain: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The user_id: 48 lowercase hexadecimal digits.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *       "Link": "https://monitor.example.com/invitation/3f1c9a7e52d04b86…",
                     *       "Expires": "2026-02-25T23:38:03+01:00"
                     *     }
                     */
                    "application/json": components["schemas"]["UserInvitation"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Name": "control room",
                     *       "Level": "UR",
                     *       "Tags": [
                     *         "berlin/rack-3"
                     *       ],
                     *       "Expires": "2026-02-25T23:38:03+01:00",
                     *       "CsrfToken": "pQ2xW7mN0cR5tY8uVb3kZ1hJ6sD4fG9aLeTqXoIiUwE"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Key": "3f1c9a7e52d04b86",
                 *       "Name": "local",
                 *       "Email": "ada@example.org",
                 *       "Account": "default",
                 *       "Password": "a password"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description Sets or removes the cookie of the session.
                     * @example __Host-vantage-session=…; Path=/; Secure; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Name": "control room",
                     *       "Level": "UR",
                     *       "Tags": [
                     *         "berlin/rack-3"
                     *       ],
                     *       "Expires": "2026-02-25T23:38:03+01:00",
                     *       "CsrfToken": "pQ2xW7mN0cR5tY8uVb3kZ1hJ6sD4fG9aLeTqXoIiUwE"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Sets or removes the cookie of the session.
                     * @example __Host-vantage-session=…; Path=/; Secure; HttpOnly; SameSite=Strict
                     */
                    "Set-Cookie": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "SignOut": "https://login.example.org/session/end?client_id=vantage"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Where the browser signs out of the provider that signed the person in (single sign-on), too; null: nowhere.
                         * @example https://login.example.org/session/end?client_id=vantage
                         */
                        SignOut: string | null;
                    };
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Changes the resource only while its settings are those of this ETag; code 1005 otherwise.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Password": "the present one",
                 *       "NewPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * @description Form of a good answer; failures are JSON always.
                 * @example json
                 */
                fmt?: "json" | "xml" | "csv";
                /**
                 * @description Offers the answer as a file of this name.
                 * @example devices.csv
                 */
                filename?: string;
                /**
                 * @description Changes of this kind of thing only.
                 * @example device
                 */
                Kind?: "account" | "key" | "location" | "agent" | "device" | "devices" | "tag" | "secret" | "contact" | "nschedule" | "mschedule" | "alert" | "session" | "user" | "maintenance" | "outage" | "delivery";
                /**
                 * @description Changes of the thing with this id only, also of a deleted one.
                 * @example 27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802
                 */
                Id?: string;
                /**
                 * @description Changes by this actor only, as entries name it.
                 * @example deploy
                 */
                Actor?: string;
                /**
                 * @description Entries with this Action only.
                 * @example Create
                 */
                Action?: "Create" | "Update" | "Delete" | "Refuse";
                /**
                 * @description Rows from this moment on. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp1?: string;
                /**
                 * @description Rows up to this moment. A timestamp in whole seconds includes that whole second. Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.
                 * @example 2026-02-25T22:38:03+01:00
                 */
                Timestamp2?: string;
                /**
                 * @description Most rows to return; more than 100 is taken as 100.
                 * @example 100
                 */
                Limit?: number;
                /**
                 * @description Rows to skip; not together with Before. Rows that are added meanwhile shift it.
                 * @example 0
                 */
                Offset?: number;
                /**
                 * @description A audit_id: the rows that are older than this one. Link: rel="next" uses it.
                 * @example 8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d
                 */
                Before?: string;
            };
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description Weak: another one when the answer changed, for If-None-Match (RFC 9110, section 8.8.3).
                     * @example W/"27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    /**
                     * @description The address of the next page (RFC 8288), while there are more rows.
                     * @example </v1.1/devices?Limit=100&Offset=100>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description Rows of all pages, where counting is cheap.
                     * @example 2000
                     */
                    "X-Total-Count"?: number;
                    /**
                     * @description With `filename`: the file name (RFC 6266 and RFC 8187).
                     * @example attachment; filename="devices.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "audit_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Timestamp": "2026-02-25T23:38:03+01:00",
                     *         "Actor": "deploy",
                     *         "Address": "192.0.2.10",
                     *         "Action": "Update",
                     *         "Kind": "device",
                     *         "Id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802",
                     *         "Changes": [
                     *           {
                     *             "Field": "Timeout",
                     *             "Old": 30,
                     *             "New": 10
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    runBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description Makes the request safe to repeat: 1 to 128 printable characters, a new one (such as a UUID) for each new request. A repetition with the same body within 24 hours gets the first answer and does nothing again; one with another body is code 1005.
                 * @example 5d8f1b1e-6f5c-4b0e-9a41-0d2f6c1f7f3a
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON, with the header `Content-Type: application/json`. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Atomic": true,
                 *       "Preview": false,
                 *       "Operations": [
                 *         {
                 *           "Method": "POST",
                 *           "Path": "/tags",
                 *           "Body": {
                 *             "Name": "web"
                 *           },
                 *           "IfMatch": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Batch"];
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description With `true`: the answer of an earlier request with the same Idempotency-Key.
                     * @example true
                     */
                    "Idempotency-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Results": [
                     *         {
                     *           "Status": 200,
                     *           "Body": {
                     *             "tag_id": "27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802"
                     *           },
                     *           "ETag": "\"9f2c61ab03de4471.0c1d2e3f40516273\""
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResults"];
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A name for this request, at most 128 letters, digits and `._:+/=@-`; the answer and the log of the service show it.
                 * @example deploy-42
                 */
                "X-Request-Id"?: string;
                /**
                 * @description ETags that the client has, joined by commas: where one is still right, the answer is 304 without a body.
                 * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    /**
                     * @description Names the request in the log of the service: the id that the client sent, or a new one.
                     * @example c0ffee00c0ffee00
                     */
                    "X-Request-Id": string;
                    /**
                     * @description `"<settings revision>.<hash>"`, for If-Match and If-None-Match (RFC 9110, section 8.8.3).
                     * @example "8dddb028ef293a71.27ffe370b5a1f0c4"
                     */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The version of the OpenAPI Specification.
                         * @example 3.1.0
                         */
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Refused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
