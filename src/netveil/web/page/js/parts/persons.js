// A table of persons beside a file with ties: dropped or chosen, and taken away again.

import { remove, send } from "../api.js";
import { announce, h } from "../dom.js";
import { people } from "../numbers.js";
import { know } from "../store.js";
import { takesDrops } from "./dropped.js";
import { textField } from "./fields.js";
import { actionButton, problemPlace } from "./notes.js";

/** Where attributes of people come from, or may come from; what is wrong with a table is told here. */
export function personsPart({ id, source, state, persons }) {
  if (source !== "upload" || (state !== "read" && !persons)) return null;
  const problems = problemPlace();
  const place = `api/networks/${id}/persons`;
  const heard = (network) => {
    know("networks", network);
    announce(network.state === "read" ? `Read again: ${people(network.nodes)}` : network.problem.message);
  };
  if (persons) {
    const without = actionButton("Read it without persons", "small", async () => heard(await remove(place)), problems);
    const told = h("p", "The persons are in ", h("strong", persons.file), ". ", without);
    return h("div.persons", told, problems.place);
  }
  const key = textField({ label: "Column of the people", hint: "Its name; empty for the first.", value: "" });
  const file = h("input", { type: "file", class: "unseen", tabindex: "-1", "aria-label": "A table of persons" });
  const take = async (files) => {
    problems.clear();
    try {
      if (files.length) heard(await send(`${place}?key=${encodeURIComponent(key.value())}`, files));
    } catch (problem) {
      if (!problem.kind) throw problem;
      problems.show(problem);
    } finally {
      file.value = "";
    }
  };
  file.addEventListener("change", () => take([...file.files]));
  const choose = h("button.button", { onclick: () => file.click() }, "Choose a table of persons");
  const about =
    "Age, department and the like, one person a line below a header: CSV, Excel or Parquet. Drop it here, or choose it.";
  const zone = h("div.drop.again.persons", h("p", about), key.place, choose, file, problems.place);
  return h("details", h("summary", "Add attributes of people from another file"), takesDrops(zone, take));
}
