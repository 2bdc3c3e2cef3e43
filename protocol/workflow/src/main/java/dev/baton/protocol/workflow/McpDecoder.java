/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Template;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Decodes {@code mcp} of a workflow, and of an agent step. */
final class McpDecoder {
  private static final List<String> KEYS =
      List.of("command", "env", "url", "headers", "state", "timeout");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");
  private static final int MAX_WORD = 4_096;
  private static final int MAX_PAIRS = 100;

  private final DefinitionValueDecoder values;
  private final DefinitionProblemCollector problems;

  McpDecoder(DefinitionValueDecoder values) {
    this.values = values;
    this.problems = values.problems();
  }

  /** Decodes the servers of a workflow, and keeps them for its steps. */
  void servers(DefinitionCursor place) {
    Optional<MappingFieldReader> found =
        MappingFieldReader.of(place, values, "names, each with a server");
    if (found.isEmpty()) {
      return;
    }
    List<LocatedNode.Entry> entries = found.get().members().entries();
    if (entries.size() > McpServerDefinition.MAX_SERVERS) {
      problems.error(
          place,
          "there are " + entries.size() + " servers",
          "at most " + McpServerDefinition.MAX_SERVERS);
    }
    for (LocatedNode.Entry entry : entries) {
      DefinitionCursor at = place.member(entry.key(), entry.value());
      if (!McpServerDefinition.NAME.matcher(entry.key()).matches()) {
        problems.error(
            entry.keyMark(),
            at.step(),
            at.path(),
            "'" + entry.key() + "' is not a server's name",
            "[a-z][a-z0-9_-]{0,31} without '__'");
      }
      MappingFieldReader.of(at, values, String.join(", ", KEYS))
          .ifPresent(fields -> values.notes().servers().put(entry.key(), server(fields)));
    }
  }

  private McpServerDefinition server(MappingFieldReader fields) {
    fields.allowOnly(KEYS);
    boolean program = fields.get("command").isPresent();
    if (program == fields.get("url").isPresent()) {
      problems.error(
          fields.place(), "a server needs exactly one of 'command' and 'url'", "command, or url");
    }
    for (String key : program ? List.of("headers") : List.of("env", "state")) {
      fields.refuse(
          key,
          "'" + key + "' has no effect here",
          program ? "with 'url' only" : "with 'command' only");
    }
    Duration timeout =
        fields
            .duration("timeout", Duration.ofSeconds(1), McpServerDefinition.MAX_TIMEOUT)
            .orElse(McpServerDefinition.TIMEOUT);
    return new McpServerDefinition(
        texts(fields, "command", (at, text) -> true),
        pairs(fields, "env", VARIABLE, "a variable's name"),
        fields.get("url").flatMap(this::url),
        pairs(fields, "headers", HEADER, "a header's name"),
        texts(fields, "state", this::isGlob),
        timeout);
  }

  private Optional<String> url(DefinitionCursor place) {
    Optional<String> text = values.text(place, MAX_WORD);
    if (text.isPresent() && !isUrl(text.get())) {
      problems.error(place, "'" + text.get() + "' is not a URL", "http://… or https://…");
      return Optional.empty();
    }
    return text;
  }

  private static boolean isUrl(String text) {
    try {
      URI url = new URI(text);
      return ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
          && url.getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private boolean isGlob(DefinitionCursor at, String glob) {
    boolean good =
        !glob.isBlank() && !glob.startsWith("/") && !List.of(glob.split("/", -1)).contains("..");
    try {
      FileSystems.getDefault().getPathMatcher("glob:" + glob);
    } catch (PatternSyntaxException e) {
      good = false;
    }
    if (!good) {
      problems.error(
          at,
          "'" + glob + "' is not a path below the server's folder",
          "a relative path without '..', with * and **");
    }
    return good;
  }

  /** Reads a text or a list of texts. */
  private List<String> texts(
      MappingFieldReader fields, String key, BiPredicate<DefinitionCursor, String> good) {
    List<DefinitionCursor> items = fields.get(key).map(values::texts).orElse(List.of());
    List<String> texts = new ArrayList<>();
    for (DefinitionCursor item : items) {
      text(item).filter(text -> good.test(item, text)).ifPresent(texts::add);
    }
    if (key.equals("command") && !texts.isEmpty() && texts.getFirst().isBlank()) {
      problems.error(items.getFirst(), "the command is empty", "a program and its arguments");
    }
    return texts;
  }

  private Optional<String> text(DefinitionCursor place) {
    Optional<String> text = values.text(place, MAX_WORD);
    if (text.isPresent() && Template.isTemplate(text.get())) {
      problems.error(
          place,
          "servers have no templates",
          "plain text, with {workspace} and {state}, or env:NAME for a secret");
      return Optional.empty();
    }
    return text;
  }

  private Map<String, String> pairs(
      MappingFieldReader fields, String key, Pattern name, String what) {
    Map<String, String> pairs = new TreeMap<>();
    Optional<MappingFieldReader> found =
        fields.get(key).flatMap(at -> MappingFieldReader.of(at, values, "names and values"));
    if (found.isEmpty()) {
      return pairs;
    }
    List<LocatedNode.Entry> entries = found.get().members().entries();
    if (entries.size() > MAX_PAIRS) {
      problems.error(
          found.get().place(), "there are " + entries.size() + " values", "at most " + MAX_PAIRS);
    }
    for (LocatedNode.Entry entry : entries) {
      DefinitionCursor at = found.get().place().member(entry.key(), entry.value());
      if (!name.matcher(entry.key()).matches() || entry.key().startsWith("BATON_")) {
        problems.error(
            entry.keyMark(),
            at.step(),
            at.path(),
            "'" + entry.key() + "' is not " + what,
            name.pattern() + ", not BATON_…");
      }
      text(at).ifPresent(text -> pairs.put(entry.key(), text));
    }
    return pairs;
  }

  /** Decodes the servers of an agent step: those that it names, or all of the workflow. */
  Map<String, McpServerDefinition> chosen(MappingFieldReader agent) {
    Map<String, McpServerDefinition> all = values.notes().servers();
    Optional<DefinitionCursor> place = agent.get("mcp");
    if (place.isEmpty()) {
      return all;
    }
    DefinitionCursor at = place.get();
    if (!(at.node() instanceof LocatedNode.Items(_, List<LocatedNode> items))) {
      problems.error(
          at,
          "this must be a list, not " + at.node().typeName(),
          "names of servers in the workflow's 'mcp'; [] for none");
      return Map.of();
    }
    Map<String, McpServerDefinition> chosen = new LinkedHashMap<>();
    Map<String, String> names = new TreeMap<>();
    all.keySet().forEach(name -> names.put(name, name));
    for (int i = 0; i < items.size(); i++) {
      DefinitionCursor item = at.item(i, items.get(i));
      if (names.isEmpty()) {
        problems.error(item, "the workflow has no servers", "a server in the workflow's 'mcp'");
      } else {
        values.choice(item, names).ifPresent(name -> chosen.put(name, all.get(name)));
      }
    }
    return chosen;
  }
}
