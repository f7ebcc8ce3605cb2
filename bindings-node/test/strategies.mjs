// Strategies from data, as tests/scenarios/README.md describes them. `form` says what a request is made of, so that
// the scenarios (lists of texts) and the end-to-end driver (arguments of Thrift methods) read the same data.
import { CustomStrategy, HashingStrategy, MethodStrategies, RequestMergers, ResponseMergers } from "shardway";

/** What a strategy function or a merger throws when the data say so. */
export class Thrown extends Error {}

/** A request is a list of texts, and so is an answer. */
export const texts = {
  items: (_endpoint, request) => request,
  request: (_endpoint, items) => items,
  joined: (_endpoint, answers) => answers.flat(),
};

function split(rule, endpoint, request, form) {
  if (rule === null) return undefined;
  const [[kind, value]] = Object.entries(rule);
  const items = form.items(endpoint, request);
  switch (kind) {
    case "throws":
      throw new Thrown(value);
    case "each":
      if (value !== "key") throw new RangeError(`unknown each: ${value}`);
      return new Map(items.map((item) => [item, form.request(endpoint, items.filter((other) => other === item))]));
    case "all":
      return new Map(value.map((partition) => [partition, request]));
    case "pairs":
      return new Map(value.map(([key, part]) => [key, form.request(endpoint, part)]));
    case "table": {
      const parts = new Map();
      for (const item of items) parts.set(value[item], [...(parts.get(value[item]) ?? []), item]);
      return new Map([...parts].map(([partition, part]) => [partition, form.request(endpoint, part)]));
    }
    default:
      throw new RangeError(`unknown split: ${kind}`);
  }
}

const splitter = (endpoints, form) => (endpoint, request) =>
  Object.hasOwn(endpoints, endpoint) ? split(endpoints[endpoint].split, endpoint, request, form) : undefined;

const mapping = (logical) => (shardId) => {
  const serves = logical[String(shardId)];
  if (!Array.isArray(serves)) throw new Thrown(serves?.throws ?? `no partitions for ${shardId}`);
  return serves;
};

const reported = (error) => error.code ?? error.message;

function mergers(endpoints, form) {
  const [requestMergers, responseMergers] = [new RequestMergers(), new ResponseMergers()];
  const broken = (what) => () => {
    throw new Thrown(`the ${what} merger is broken`);
  };
  const requests = (endpoint) => ({
    concat: (parts) => form.request(endpoint, parts.flatMap((part) => form.items(endpoint, part))),
    throws: broken("request"),
  });
  const responses = (endpoint) => ({
    concat(successes, failures) {
      if (successes.length === 0) throw failures[0].error;
      return form.joined(endpoint, successes);
    },
    report: (successes, failures) => ({
      answers: successes,
      failures: failures.map(({ node, partition, keys, error }) => ({ node: node ?? null, partition: partition ?? null, keys: [...keys], error: reported(error) })),
    }),
    throws: broken("response"),
  });
  for (const [name, { request_merger: request, response_merger: response }] of Object.entries(endpoints)) {
    if (request !== undefined) requestMergers.add(name, known(requests(name), request));
    if (response !== undefined) responseMergers.add(name, known(responses(name), response));
  }
  return { requestMergers, responseMergers };
}

function known(table, name) {
  if (!Object.hasOwn(table, name)) throw new RangeError(`unknown merger: ${name}`);
  return table[name];
}

/** The strategy that `data` describes, over a state that is observed; `undefined` for none. */
export function strategyOf(data, state, form = texts) {
  if (data === null || data.kind === "none") return undefined;
  if (data.kind === "by_endpoint") {
    return new MethodStrategies(Object.fromEntries(Object.entries(data.strategies).map(([name, one]) => [name, strategyOf(one, state, form)])));
  }
  if (data.kind === "hashing") return new HashingStrategy(splitter(data.endpoints, form), mergers(data.endpoints, form));
  if (data.kind !== "custom") throw new RangeError(`unknown kind of strategy: ${data.kind}`);
  const { pick } = data;
  if (data.endpoints !== undefined) {
    const { responseMergers } = mergers(data.endpoints, form);
    const logical = data.logical && { logicalPartition: mapping(data.logical) };
    return CustomStrategy.noResharding(splitter(data.endpoints, form), { responseMergers, ...(pick && { pick }), ...logical });
  }
  const table = data.by_cluster_size ?? data.by_state;
  const caseOf = (value) => {
    const name = String(data.by_cluster_size ? value.size : value);
    if (!Object.hasOwn(table, name)) throw new Thrown(`no case for ${name}`);
    return table[name];
  };
  const getPartitions = (value) => splitter(caseOf(value).endpoints, form);
  const logicalPartition = (value) => {
    const { logical } = caseOf(value);
    return logical ? mapping(logical) : (shardId) => shardId;
  };
  // The cases of one state are alike in what they merge: the first is as good as any.
  const { responseMergers } = mergers(Object.assign({}, ...Object.values(table).map((one) => one.endpoints)), form);
  const options = { logicalPartition, responseMergers, ...(pick && { pick }) };
  if (data.by_cluster_size) return CustomStrategy.clusterResharding(getPartitions, options);
  return CustomStrategy.resharding(getPartitions, { ...options, state });
}
