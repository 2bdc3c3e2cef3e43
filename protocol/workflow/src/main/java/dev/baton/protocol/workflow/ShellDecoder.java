/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import dev.baton.protocol.workflow.ShellOutput.As;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Decodes {@code shell} and its related keys. */
final class ShellDecoder {
  private static final int MAX_VARIABLES = 1_000;
  private static final int MAX_WORDS = 100;
  private static final Map<String, As> FORMS = forms();

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;
  private final StepDefaults defaults;

  ShellDecoder(DefinitionValueDecoder values, StepDefaults defaults) {
    this.values = values;
    this.problems = values.problems();
    this.defaults = defaults;
  }

  private static Map<String, As> forms() {
    Map<String, As> forms = new LinkedHashMap<>();
    forms.put("text", As.TEXT);
    forms.put("json", As.JSON);
    forms.put("lines", As.LINES);
    return forms;
  }

  Optional<StepKind> decode(DefinitionCursor place, MappingFieldReader step) {
    Optional<String> script = values.text(place, StepKind.Shell.MAX_SCRIPT);
    if (script.isPresent() && script.get().isBlank()) {
      problems.error(place, "the script is empty", "a script");
    }
    if (script.isPresent() && Template.isTemplate(script.get())) {
      problems.error(
          place,
          "a script has no '${{': text put into code can become code",
          "env: {NAME: \"${{ … }}\"}, and \"$NAME\" in the script");
    }
    Map<String, Template> env = new TreeMap<>(defaults.env());
    env.putAll(ShellVariableDecoder.decode(step, values));
    if (env.size() > MAX_VARIABLES) {
      problems.error(
          step.place(), "there are " + env.size() + " variables", "at most " + MAX_VARIABLES);
    }
    List<String> interpreter =
        step.get("interpreter").map(this::words).orElse(StepKind.Shell.DEFAULT_INTERPRETER);
    ShellOutput output = step.get("output").flatMap(this::output).orElse(ShellOutput.DEFAULT);
    Set<Integer> ok = step.get("ok_exit_codes").map(at -> integers(at, 0, 255)).orElse(Set.of(0));
    return script.map(text -> new StepKind.Shell(text, env, interpreter, output, ok));
  }

  /** Decodes {@code "python3 -c"}, or a list of words. */
  private List<String> words(DefinitionCursor place) {
    List<String> words = new ArrayList<>();
    if (place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items)) {
      for (int i = 0; i < items.size() && i <= MAX_WORDS; i++) {
        values.text(place.item(i, items.get(i)), 4_096).ifPresent(words::add);
      }
    } else {
      values
          .text(place, 4_096)
          .ifPresent(text -> words.addAll(List.of(text.strip().split("\\s+"))));
    }
    if (words.isEmpty() || words.getFirst().isEmpty()) {
      problems.error(
          place, "the interpreter is missing", "a program and its options, such as bash -c");
      return StepKind.Shell.DEFAULT_INTERPRETER;
    }
    if (words.size() > MAX_WORDS) {
      problems.error(place, "the interpreter has too many words", "at most " + MAX_WORDS);
    }
    return words;
  }

  private Optional<ShellOutput> output(DefinitionCursor place) {
    if (place.node() instanceof LocatedNode.Scalar) {
      Map<String, ShellOutput> choices = new LinkedHashMap<>();
      FORMS.forEach((word, as) -> choices.put(word, new ShellOutput.Stdout(as)));
      choices.put("none", new ShellOutput.None());
      return values.choice(place, choices);
    }
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "text, json, lines, none, or {file: path}");
    if (found.isEmpty()) {
      return Optional.empty();
    }
    MappingFieldReader fields = found.get();
    fields.allowOnly(List.of("file", "as"));
    fields.require("file", "file: a path in the workspace");
    Optional<As> as = fields.choice("as", FORMS);
    return fields
        .text("file", 4_096)
        .filter(path -> checkPath(fields, path))
        .map(
            path ->
                new ShellOutput.File(path, as.orElse(path.endsWith(".json") ? As.JSON : As.TEXT)));
  }

  private boolean checkPath(MappingFieldReader fields, String path) {
    boolean good =
        !path.isBlank()
            && !path.startsWith("/")
            && !List.of(path.split("/", -1)).contains("..")
            && !Template.isTemplate(path);
    if (!good) {
      fields
          .get("file")
          .ifPresent(
              at ->
                  problems.error(
                      at,
                      "'" + path + "' is not a path in the workspace",
                      "a relative path without '..'"));
    }
    return good;
  }

  /** Decodes a number or a list of numbers. */
  Set<Integer> integers(DefinitionCursor place, int min, int max) {
    Set<Integer> found = new TreeSet<>();
    if (place.node() instanceof LocatedNode.Items(_, List<LocatedNode> items)) {
      if (items.isEmpty()) {
        problems.error(place, "the list is empty", min + " to " + max);
      }
      for (int i = 0; i < items.size(); i++) {
        values.integer(place.item(i, items.get(i)), min, max).ifPresent(found::add);
      }
    } else {
      values.integer(place, min, max).ifPresent(found::add);
    }
    return found;
  }
}
