// The verdict on a release, which comes first: the policy rule by rule, and where it is not met, what would help and the way there.

import { post } from "../api.js";
import { h } from "../dom.js";
import { percentage } from "../numbers.js";
import { addressOf, go } from "../route.js";
import { know, note, store } from "../store.js";
import { actionButton, problemPlace } from "./notes.js";

/** Whether a release meets its policy, as a tag; nothing where it has none. */
export function verdictTag(figures) {
  const { policy } = figures ?? {};
  return policy
    ? h(
        "span",
        { class: `tag ${policy.met ? "fine" : "risk"}` },
        policy.met ? "meets its policy" : "does not meet its policy",
      )
    : null;
}

export function verdictPanel(id, release) {
  const { verdict, policy, decision, kind } = release.record;
  const problems = problemPlace();
  const look = policy ? (policy.met ? "fine" : "warn") : "";
  const take = (text) => h("a.button.main", { href: addressOf("take", id) }, text);
  const offers =
    policy && !policy.met
      ? offersFor(id, release.record)
      : [[kind === "synthetic" ? "Make another" : "Search again", {}]];
  const ways = offers.map(([text, wanted], place) =>
    actionButton(text, policy?.met === false && !place ? "main" : "", () => fillForm(id, release, wanted), problems),
  );
  return h(
    "section",
    { class: `note loud verdict ${look}`, "aria-labelledby": "verdict" },
    h("h2", { id: "verdict" }, verdict),
    policy ? rulesList(policy.rules) : null,
    policy?.helps?.length
      ? [
          h("h3", "What would help"),
          h(
            "ul",
            policy.helps.map((text) => h("li", text)),
          ),
        ]
      : null,
    decision?.policy?.reason ? h("p.soft.small", `Why the policy asks for this: ${decision.policy.reason}`) : null,
    h("div.row", policy?.met === false ? null : take(policy ? "Good enough: take it away" : "Take it away"), ways),
    problems.place,
  );
}

function rulesList(rules) {
  const row = (rule) =>
    h(
      "li",
      h("span", { class: `tag ${rule.met ? "fine" : "risk"}` }, rule.met ? "met" : "not met"),
      ` ${rule.sentence}`,
    );
  const [unmet, met] = [rules.filter((rule) => !rule.met), rules.filter((rule) => rule.met)];
  const folded = h(
    "details",
    { open: !unmet.length },
    h("summary", `${met.length} of ${rules.length} rules met`),
    h("ul.rules", met.map(row)),
  );
  return [unmet.length ? h("ul.rules", unmet.map(row)) : null, met.length ? folded : null];
}

/** Forms that may meet the rules that are not met: `[text, what to fill in]`, the most likely first. */
function offersFor(id, { policy, kind, budget, edges, k: made }) {
  const unmet = new Map(policy.rules.filter((rule) => !rule.met).map((rule) => [rule.rule.split(".")[0], rule]));
  const isFound = [...unmet.values()].filter((rule) => rule.rule.startsWith("found_with") && rule.limit > 0);
  const least = policy.rules.find((rule) => rule.rule === "k").limit;
  const k = Math.max(least, ...isFound.map((rule) => Math.ceil(1 / rule.limit)));
  if (kind === "synthetic")
    return [[`Draw it with k = ${k > made ? k : 2 * made}`, { synthetic: { k: k > made ? k : 2 * made } }]];
  const found = [...unmet.keys()].some((name) => name.startsWith("found_with"));
  const offers =
    found || unmet.has("at_risk") ? [[`Draw a synthetic network with k = ${k}`, { synthetic: { k } }]] : [];
  const more = percentage(Math.min(edges, 2 * budget), edges).replace(/\.0+%$/, "%");
  if (unmet.has("at_risk"))
    offers.push([
      `Search with k = ${Math.max(made, least)} and ${more} of the ties`,
      { k: Math.max(made, least), budget: more },
    ]);
  else if (unmet.has("k")) offers.push([`Search with k = ${least}`, { k: least }]);
  return offers.length ? offers : [["Change what is asked for", {}]];
}

/** Goes to the form, filled with what was asked for and what shall be different; of a release that was brought, with its original. */
async function fillForm(id, release, wanted) {
  const known = release.network && store.networks.has(release.network);
  const network = known ? release.network : know("networks", await post(`api/releases/${id}/network`)).id;
  const { options = {}, kind } = store.runs.get(id) ?? {};
  const { decision } = release.record;
  const policy = options.policy ?? (decision?.policy ? { policy: decision.policy, decision: decision.grounds } : null);
  const again = { ...options, seed: null }; // the same seed would find the same
  note(`form ${network}`, {
    ...(kind === "synthetic" ? { synthetic: { ...again, ...wanted.synthetic } } : { ...again, ...wanted }),
    policy,
  });
  go("protect", network);
}
