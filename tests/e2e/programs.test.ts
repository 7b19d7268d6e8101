// The programs that people, other programs and other tools use, all on one system, because its start costs more than
// most of these tests. They run in this order.
import './programs/trial.ts';
import './programs/doctor-of-running.ts';
import './programs/documents.ts';
import './programs/anywhere.ts';
import './programs/as-code.ts';
import './programs/assistant.ts';
import './programs/coming-over.ts';
import './programs/client-package.ts';
import './programs/proxies.ts';
import './programs/parcel.ts';
import './programs/doctor-of-ended.ts';
