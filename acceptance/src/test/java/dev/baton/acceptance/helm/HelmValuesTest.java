/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares the values in the schema of the chart, in its defaults and in docs/kubernetes.md. Keys
 * of a pool that are also keys of {@code runners.defaults} are documented there.
 */
class HelmValuesTest {
  private static final Path PROJECT =
      Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());
  private static final Path CHART = PROJECT.resolve("deploy/helm/baton");
  private static final Pattern KEY = Pattern.compile("`([A-Za-z.]+)`");
  private static final String POOL = "runners.pools.NAME.";
  private static final String DEFAULTS = "runners.defaults.";

  @SuppressWarnings("NullAway.Init")
  private static JsonNode schema;

  @SuppressWarnings("NullAway.Init")
  private static JsonNode defaults;

  /** The cells of the defaults, by key; empty in a row with several keys. */
  private static final Map<String, String> DOCUMENTED = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException {
    schema = new ObjectMapper().readTree(CHART.resolve("values.schema.json").toFile());
    defaults = HelmInvoker.objects(Files.readString(CHART.resolve("values.yaml"))).getFirst();
    String page = Files.readString(PROJECT.resolve("docs/kubernetes.md"));
    String section = page.substring(page.indexOf("### Values"), page.indexOf("## An orchestrator"));
    for (String line : section.lines().filter(it -> it.startsWith("| `")).toList()) {
      String[] cells = line.split(" *\\| *", 4);
      List<String> keys = keys(cells[1]);
      for (String key : keys) {
        DOCUMENTED.put(key, keys.size() == 1 ? cells[2] : "");
      }
    }
  }

  /** Returns the keys of a cell; one with a leading dot is next to the first. */
  private static List<String> keys(String cell) {
    List<String> keys = new ArrayList<>();
    Matcher matcher = KEY.matcher(cell);
    while (matcher.find()) {
      String key = matcher.group(1);
      keys.add(
          key.startsWith(".")
              ? keys.getFirst().substring(0, keys.getFirst().lastIndexOf('.')) + key
              : key);
    }
    return keys;
  }

  private static void collect(String prefix, JsonNode node, TreeSet<String> keys) {
    boolean isClosed = node.path("additionalProperties").isBoolean();
    if (isClosed && node.has("properties")) {
      node.path("properties")
          .properties()
          .forEach(it -> collect(prefix + "." + it.getKey(), it.getValue(), keys));
    } else if (node.path("additionalProperties").has("properties")) {
      collect(prefix + ".NAME", node.path("additionalProperties"), keys);
    } else {
      keys.add(prefix.substring(1));
    }
  }

  @Test
  void shouldDocumentEachValueOfTheSchema() {
    TreeSet<String> keys = new TreeSet<>();
    collect("", schema, keys);
    keys.remove("global");
    keys.removeIf(
        it -> it.startsWith(POOL) && keys.contains(DEFAULTS + it.substring(POOL.length())));

    assertThat(keys).hasSizeGreaterThan(60);
    assertThat(DOCUMENTED.keySet()).isEqualTo(keys);
  }

  @Test
  void shouldDocumentTheDefaults() {
    List<String> checked = new ArrayList<>();
    DOCUMENTED.forEach(
        (key, cell) -> {
          JsonNode value = defaults.at("/" + key.replace('.', '/'));
          if (cell.startsWith("`")) {
            assertThat(cell).describedAs(key).isEqualTo("`" + value.asText() + "`");
            checked.add(key);
          }
        });
    assertThat(checked).hasSizeGreaterThan(15);
  }

  @Test
  void shouldLetPoolsReplaceEachDefault() {
    JsonNode runners = schema.at("/properties/runners/properties");
    TreeSet<String> pool = new TreeSet<>();
    runners.at("/pools/additionalProperties/properties").fieldNames().forEachRemaining(pool::add);
    TreeSet<String> ofAll = new TreeSet<>();
    runners.at("/defaults/properties").fieldNames().forEachRemaining(ofAll::add);

    assertThat(pool).containsAll(ofAll);
  }
}
