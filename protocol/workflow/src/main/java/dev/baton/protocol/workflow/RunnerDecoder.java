/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Decodes the {@code runner} of a workflow: the kind of runner alone, or a mapping with the runners
 * on which its runs may be placed. Used once.
 */
final class RunnerDecoder {
  private static final int MAX_TEXT = 200;
  private static final Map<String, IsolationMode> KINDS =
      DefinitionValueDecoder.choices(
          "isolated", IsolationMode.ISOLATED, "shared", IsolationMode.SHARED);

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;
  private Optional<IsolationMode> isolation = Optional.empty();
  private RunnerSelector selector = RunnerSelector.ANY;

  RunnerDecoder(DefinitionValueDecoder values) {
    this.values = values;
    this.problems = values.problems();
  }

  Optional<IsolationMode> isolation() {
    return isolation;
  }

  RunnerSelector selector() {
    return selector;
  }

  void decode(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Members) {
      MappingFieldReader.of(place, values, "").ifPresent(this::decode);
    } else {
      isolation = values.choice(place, KINDS);
    }
  }

  private void decode(MappingFieldReader fields) {
    fields.allowOnly(List.of("isolation", "launcher", "pool", "labels"));
    isolation = fields.choice("isolation", KINDS);
    selector =
        new RunnerSelector(
            name(fields, "launcher"),
            name(fields, "pool"),
            fields.get("labels").map(this::labels).orElse(Map.of()));
  }

  private Optional<String> name(MappingFieldReader fields, String key) {
    return fields
        .get(key)
        .flatMap(at -> values.text(at, MAX_TEXT).filter(text -> is(at, text, RunnerSelector.NAME)));
  }

  private Map<String, String> labels(DefinitionCursor place) {
    String allowed = "a mapping of at most " + RunnerSelector.MAX_LABELS + " labels to text";
    Map<String, String> labels = new HashMap<>();
    MappingFieldReader.of(place, values, allowed)
        .ifPresent(
            fields -> {
              List<LocatedNode.Entry> entries = fields.members().entries();
              if (entries.size() > RunnerSelector.MAX_LABELS) {
                problems.error(place, "there are " + entries.size() + " labels", allowed);
                return;
              }
              for (LocatedNode.Entry entry : entries) {
                DefinitionCursor at = place.member(entry.key(), entry.value());
                if (is(at, entry.key(), RunnerSelector.LABEL)) {
                  values
                      .text(at, MAX_TEXT)
                      .filter(text -> is(at, text, RunnerSelector.VALUE))
                      .ifPresent(text -> labels.put(entry.key(), text));
                }
              }
            });
    return labels;
  }

  private boolean is(DefinitionCursor at, String text, Pattern pattern) {
    boolean good = pattern.matcher(text).matches();
    if (!good) {
      problems.error(at, "'" + text + "' is not allowed here", pattern.pattern());
    }
    return good;
  }
}
