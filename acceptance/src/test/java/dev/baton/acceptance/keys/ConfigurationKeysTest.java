/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.DurationParser;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that each configuration key is used by code other than validation, and is in the table of
 * docs/operations.md with its default; each key of the table must exist.
 */
class ConfigurationKeysTest {
  private static final String ORCHESTRATOR = "dev.baton.orchestrator.config.OrchestratorConfig";
  private static final String STORE = "dev.baton.store.config.StoreConfig";
  private static final String RUNNER = "dev.baton.runner.config.RunnerConfig";

  /** Classes that only validate a value; they do not count as use. */
  private static final Pattern CHECKS =
      Pattern.compile(".*\\.config\\.(OrchestratorConfigValidator|StoreConfigConverter.*)");

  @SuppressWarnings("NullAway.Init")
  private static CompiledClasses services;

  @SuppressWarnings("NullAway.Init")
  private static String page;

  /** A key, the method of the mapping that has it, and its default, empty if it has none. */
  private record Key(String key, String method, String fallback) {}

  @BeforeAll
  static void read() throws IOException {
    services = CompiledClasses.of("orchestrator", "checkpoint-store", "runner");
    page = Files.readString(CompiledClasses.file("docs/operations.md"));
  }

  private static List<Key> keys(String mapping) {
    List<Key> keys = new ArrayList<>();
    collect(mapping, mapping, "baton", keys);
    assertThat(keys).hasSizeGreaterThan(10);
    return keys;
  }

  private static void collect(String mapping, String type, String prefix, List<Key> keys) {
    ClassModel model = services.find(type);
    for (MethodModel method : model.methods()) {
      String name = method.methodName().stringValue();
      List<String> named =
          CompiledClasses.annotated(method, "io/smallrye/config/WithName", "value");
      String key = prefix + "." + (named.isEmpty() ? kebab(name) : named.getFirst());
      String result = method.methodTypeSymbol().returnType().descriptorString();
      String signature =
          method
              .findAttribute(Attributes.signature())
              .map(it -> it.signature().stringValue())
              .orElse("");
      Matcher inner =
          Pattern.compile(Pattern.quote(mapping.replace('.', '/')) + "\\$[\\w$]+")
              .matcher(result + signature);
      if (inner.find()) {
        String below = result.equals("Ljava/util/Map;") ? key + ".\"NAME\"" : key;
        collect(mapping, inner.group().replace('/', '.'), below, keys);
      } else {
        List<String> fallback =
            CompiledClasses.annotated(method, "io/smallrye/config/WithDefault", "value");
        keys.add(new Key(key, type + "." + name, fallback.isEmpty() ? "" : fallback.getFirst()));
      }
    }
  }

  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static Set<String> runnerKeys() throws IOException {
    Set<String> keys = new TreeSet<>();
    for (String source :
        List.of("config/RunnerConfig", "sandbox/SandboxSettings", "secrets/VaultSettings")) {
      String path = "runner/src/main/java/dev/baton/runner/" + source + ".java";
      Pattern.compile("\"(baton\\.[a-z.-]+)\"")
          .matcher(Files.readString(CompiledClasses.file(path)))
          .results()
          .forEach(found -> keys.add(found.group(1)));
    }
    assertThat(keys).hasSizeGreaterThan(10);
    return keys;
  }

  private static String environment(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  /**
   * Returns the keys of the table, as environment variables, with their defaults; {@code *} matches
   * any end.
   */
  private static Map<String, String> documented() {
    Map<String, String> keys = new TreeMap<>();
    Matcher rows =
        Pattern.compile("(?m)^\\|([^|]*`baton\\.[^|]*)\\|([^|]*)\\|([^|]*)\\|").matcher(page);
    while (rows.find()) {
      List<String> names = new ArrayList<>();
      Matcher tokens = Pattern.compile("`([^`]+)`").matcher(rows.group(1));
      String full = "";
      while (tokens.find()) {
        String token = tokens.group(1);
        if (token.startsWith(".")) {
          token = full.substring(0, full.lastIndexOf('.')) + token;
        } else {
          full = token;
        }
        names.add(token);
      }
      String[] defaults = rows.group(3).replace("`", "").strip().split("[,;] ");
      for (int i = 0; i < names.size(); i++) {
        String fallback = defaults.length >= names.size() ? defaults[i] : "";
        String name = names.get(i);
        keys.put(name.endsWith("*") ? name : environment(name), fallback);
      }
    }
    assertThat(keys).hasSizeGreaterThan(40);
    return keys;
  }

  private static boolean isDocumented(String key, Map<String, String> documented) {
    return documented.containsKey(environment(key))
        || documented.keySet().stream()
            .filter(it -> it.endsWith("*"))
            .anyMatch(it -> key.startsWith(it.substring(0, it.length() - 1)));
  }

  private static boolean same(String told, String real) {
    return told.equals(real)
        || (DurationParser.parse(told).isPresent()
            && DurationParser.parse(told).equals(DurationParser.parse(real)));
  }

  private static void shouldHaveEffects(String mapping, String module) throws IOException {
    String properties =
        Files.readString(
            CompiledClasses.file(module + "/src/main/resources/application.properties"));
    String source =
        Files.readString(
            CompiledClasses.file(
                "libs/service/src/main/java/dev/baton/server/DatabaseTlsSource.java"));
    assertThat(keys(mapping))
        .filteredOn(
            key ->
                !source.contains('"' + key.key() + '"')
                    && !properties.contains("${" + key.key() + "}")
                    && !properties.contains("${" + key.key() + ":")
                    && services.usersOf(key.method()).stream()
                        .allMatch(user -> CHECKS.matcher(user).matches()))
        .describedAs("keys that nothing reads")
        .isEmpty();
  }

  @Test
  void shouldReadEveryKeyOfTheServices() throws IOException {
    shouldHaveEffects(ORCHESTRATOR, "orchestrator");
    shouldHaveEffects(STORE, "checkpoint-store");
  }

  @Test
  void shouldReadEveryKeyOfTheRunner() {
    for (FieldModel field : services.find(RUNNER).fields()) {
      String name = field.fieldName().stringValue();
      boolean constant = field.flags().has(java.lang.reflect.AccessFlag.STATIC);
      if (!constant) {
        assertThat(services.usersOf(RUNNER + "." + name))
            .describedAs(name)
            .anyMatch(user -> !user.startsWith(RUNNER));
      }
    }
  }

  @Test
  void shouldDocumentEveryKeyWithItsDefault() throws IOException {
    Map<String, String> documented = documented();
    List<Key> all = new ArrayList<>(keys(ORCHESTRATOR));
    all.addAll(keys(STORE));

    assertThat(all)
        // Declared in other interfaces; their keys are checked below.
        .filteredOn(
            key -> !List.of("baton.kafka", "baton.tls", "baton.identity.oidc").contains(key.key()))
        .filteredOn(key -> !isDocumented(key.key(), documented))
        .describedAs("keys that docs/operations.md lacks")
        .isEmpty();
    assertThat(KafkaSecuritySettings.KEYS)
        .filteredOn(key -> !documented.containsKey(environment(key)))
        .describedAs("keys of Kafka clients that docs/operations.md lacks")
        .isEmpty();
    assertThat(tlsKeys())
        .filteredOn(key -> !documented.containsKey(environment(key)))
        .describedAs("keys of TLS that docs/operations.md lacks")
        .isEmpty();
    assertThat(oidcKeys())
        .allSatisfy(
            (key, fallback) ->
                assertThat(documented.get(environment(key))).as(key).isEqualTo(fallback));
    assertThat(runnerKeys())
        .filteredOn(key -> !page.contains(key) && !page.contains(environment(key)))
        .describedAs("keys of the runner that docs/operations.md lacks")
        .isEmpty();
    assertThat(all)
        .filteredOn(key -> !key.fallback().isEmpty() && !key.fallback().contains("${"))
        .filteredOn(
            key -> !same(documented.getOrDefault(environment(key.key()), ""), key.fallback()))
        .describedAs("keys whose default differs from docs/operations.md")
        .isEmpty();
  }

  /** The keys of tokens with their defaults, empty without one. */
  private static Map<String, String> oidcKeys() throws IOException {
    String source =
        Files.readString(
            CompiledClasses.file(
                "libs/service/src/main/java/dev/baton/server/oidc/OidcConfig.java"));
    Map<String, String> keys = new TreeMap<>();
    Pattern.compile("(?:@WithDefault\\(\"(.*)\"\\)\\s+)?[\\w<>]+ (\\w+)\\(\\);")
        .matcher(source)
        .results()
        .forEach(
            found ->
                keys.put(
                    "baton.identity.oidc." + kebab(found.group(2)),
                    Objects.requireNonNullElse(found.group(1), "")));
    assertThat(keys).hasSize(7);
    return keys;
  }

  private static List<String> tlsKeys() {
    return List.of(
        TlsSettings.TRUST, TlsSettings.CERTIFICATE, TlsSettings.KEY, "baton.tls.client-auth");
  }

  @Test
  void shouldDocumentNoKeyThatDoesNotExist() throws IOException {
    Set<String> known = new TreeSet<>();
    keys(ORCHESTRATOR).forEach(key -> known.add(environment(key.key())));
    keys(STORE).forEach(key -> known.add(environment(key.key())));
    runnerKeys().forEach(key -> known.add(environment(key)));
    KafkaSecuritySettings.KEYS.forEach(key -> known.add(environment(key)));
    oidcKeys().keySet().forEach(key -> known.add(environment(key)));
    tlsKeys().forEach(key -> known.add(environment(key)));

    assertThat(documented().keySet())
        .filteredOn(key -> !key.endsWith("*"))
        .allMatch(known::contains, "is a key");
  }
}
