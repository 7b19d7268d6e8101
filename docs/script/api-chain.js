/// <reference path="vantage-script.d.ts" />
// Uses an API: gets a token, creates an order, reads it back, deletes it.
const base = 'https://api.example/v2';

const { token } = await step('token', async () => {
  const answer = await http({
    url: `${base}/token`,
    method: 'POST',
    body: { client: 'monitor', secret: secret('API_SECRET') },
  });
  return JSON.parse(answer.body);
});
const headers = { Authorization: `Bearer ${token}` };

const order = await step('create', async () => {
  const body = { item: 'probe', count: 1 };
  const answer = await http({ url: `${base}/orders`, method: 'POST', headers, body, expectStatus: ['201'] });
  return JSON.parse(answer.body);
});
log('order', order.id);

try {
  await step('read', async () => {
    const answer = await http({ url: `${base}/orders/${order.id}`, headers });
    expect(JSON.parse(answer.body).count === 1, 'the order differs from the one that was created');
  });
} finally {
  await step('delete', () => http({ url: `${base}/orders/${order.id}`, method: 'DELETE', headers }));
}

const gone = await http({ url: `${base}/orders/${order.id}`, headers, expectStatus: ['404'] });
expect(gone.status === 404, 'the order is still there');
