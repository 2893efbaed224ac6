/** The date that ends a model's name, with what a cloud puts behind it: `-20250929`, `-20250929-v1:0`, `@20250929`, `-2024-08-06`. */
const RELEASE = /[-@]20\d\d-?\d\d-?\d\d(?:-v\d+(?::\d+)?)?$/;

/** The names of models as tables show them: without the date of release, except where two would then look the same. */
export function shortenModels(models: Iterable<string>): Map<string, string> {
  const byShortName = new Map<string, string[]>();
  for (const model of new Set(models)) {
    const short = model.replace(RELEASE, "");
    const sharing = byShortName.get(short);
    if (sharing) sharing.push(model);
    else byShortName.set(short, [model]);
  }
  const names = new Map<string, string>();
  for (const [short, sharing] of byShortName) {
    for (const model of sharing) names.set(model, sharing.length === 1 ? short : model);
  }
  return names;
}
