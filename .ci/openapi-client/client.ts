import createClient from "openapi-fetch";
import type { components, operations, paths } from "./api";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8080" });

type Code = components["schemas"]["Refusal"]["error"];

// Outcomes of a purchase that the caller handles.
type Outcome =
  | { kind: "done"; id: string }
  | { kind: "price moved" | "sold out" }
  | { kind: "refused"; code: Code; messages: string[] }
  | { kind: "later"; seconds: number }
  | { kind: "failed"; message: string };

type Order = operations["requestRetirement"]["requestBody"]["content"]["application/json"];

export async function retire(body: Order): Promise<Outcome> {
  const { data, error, response } = await client.POST("/api/caas/request-retirement", { body });
  if (data) {
    return { kind: "done", id: data.retirement_request_id };
  }
  switch (error.statusCode) {
    case 422:
      return refused(error);
    case 401:
      return { kind: "failed", message: error.message satisfies "Unauthorized" };
    case 403:
      return { kind: "failed", message: error.error satisfies "Forbidden" };
    case 429:
    case 503:
      return { kind: "later", seconds: Number(response.headers.get("Retry-After") ?? 60) };
    case 431:
    case 500:
      return { kind: "failed", message: error.message };
    default:
      // Every other status has a name.
      return { kind: "failed", message: error.error satisfies string };
  }
}

function refused(error: components["schemas"]["Refusal"]): Outcome {
  switch (error.error) {
    case "PRICE_SUPPLIED_DIFF_CURRENT_PRICE":
      return { kind: "price moved" };
    case "SELL_ORDER_NOT_LIVE":
    case "SELL_ORDER_SUPPLY_TOO_LOW":
      return { kind: "sold out" };
    default:
      return { kind: "refused", code: error.error, messages: [error.message].flat() };
  }
}

// The status of the response is enough to tell the type of the body.
type Body<Operation, Status> = Operation extends { responses: infer All }
  ? Status extends keyof All
    ? All[Status] extends { content: { "application/json": infer JSON } } ? JSON : never
    : never
  : never;

type MarketErrors = Exclude<keyof operations["market"]["responses"], 200 | 304>;

export const messageOf: { [Status in MarketErrors]: (body: Body<operations["market"], Status>) => string } = {
  400: (body) => body.error,
  401: (body) => body.message,
  403: (body) => body.error,
  422: (body) => [body.message].flat().join("; "),
  429: (body) => body.error,
  431: (body) => body.error,
  500: (body) => body.message,
  503: (body) => body.error,
};
