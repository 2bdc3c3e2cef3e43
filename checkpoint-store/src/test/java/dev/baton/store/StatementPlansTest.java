/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Checks that every statement constant finds its rows by a key, since Postgres plans it only once,
 * before the tables have grown.
 */
@QuarkusTest
class StatementPlansTest extends StoreTest {
  private static final List<String> PACKAGES =
      List.of(
          "packs",
          "checkpoints",
          "verify",
          "gc",
          "retention",
          "deletion",
          "reindex",
          "transfer",
          "archive");

  /** A scan of the chunks without a condition, or with a condition on the project only. */
  private static final Pattern READS_ALL_CHUNKS =
      Pattern.compile(
          "Scan[^\\n]* on chunk[^\\n]*\\n(?!\\s*(Index|Recheck) Cond:[^\\n]*(digest|pack) =)");

  @Inject Pool pool;

  @Test
  void shouldFindRowsByKeys() throws Exception {
    List<Field> statements = statements();
    assertThat(statements).hasSizeGreaterThan(40);
    for (Field field : statements) {
      String statement = ((String) field.get(null)).replaceAll("(?<!:):[a-z]+", "?");
      assertThat(plan(numbered(statement)))
          .as("%s.%s", field.getDeclaringClass().getSimpleName(), field.getName())
          .doesNotContain("Seq Scan", "Hash Join", "Merge Join")
          .doesNotContainPattern(READS_ALL_CHUNKS);
    }
  }

  @Test
  void shouldFindWhatIsToBeArchivedWithoutReadingAllEvents() throws Exception {
    Field due =
        statements().stream()
            .filter(field -> field.getName().equals("DUE"))
            .findFirst()
            .orElseThrow();

    assertThat(plan((String) due.get(null)))
        .contains("event_to_archive")
        .doesNotContain("event_in_log_order", "event_pkey");
  }

  /** Replaces the named parameters of Hibernate by numbered ones. */
  private static String numbered(String statement) {
    StringBuilder text = new StringBuilder();
    int n = 0;
    for (String part : statement.split("\\?", -1)) {
      text.append(n == 0 ? "" : "$" + n).append(part);
      n++;
    }
    return text.toString();
  }

  private String plan(String statement) {
    try {
      return explain(statement);
    } catch (RuntimeException e) {
      throw new AssertionError(statement, e);
    }
  }

  private String explain(String statement) {
    return StreamSupport.stream(
            pool.query("EXPLAIN (GENERIC_PLAN) " + statement)
                .execute()
                .await()
                .atMost(Duration.ofSeconds(10))
                .spliterator(),
            false)
        .map(row -> row.getString(0))
        .collect(Collectors.joining("\n"));
  }

  private static List<Field> statements() throws IOException, ReflectiveOperationException {
    List<Field> all = new ArrayList<>();
    Path root = Path.of("target/classes/dev/baton/store");
    for (String folder : PACKAGES) {
      try (Stream<Path> files = Files.list(root.resolve(folder))) {
        for (Path file : files.sorted(Comparator.naturalOrder()).toList()) {
          String name = file.getFileName().toString();
          if (name.endsWith(".class") && !name.startsWith("package-info") && !name.contains("_")) {
            Class<?> type =
                Class.forName(
                    "dev.baton.store." + folder + "." + name.substring(0, name.length() - 6),
                    false,
                    StatementPlansTest.class.getClassLoader());
            for (Field field : type.getDeclaredFields()) {
              if (isStatement(field)) {
                all.add(field);
              }
            }
          }
        }
      }
    }
    return all;
  }

  private static boolean isStatement(Field field) throws IllegalAccessException {
    if (!Modifier.isStatic(field.getModifiers()) || field.getType() != String.class) {
      return false;
    }
    field.setAccessible(true);
    String text = (String) field.get(null);
    return text != null
        && text.strip().matches("(?s)(SELECT|WITH|INSERT|UPDATE|DELETE) .*")
        && !text.contains("%s")
        && !text.strip().endsWith("AND"); // a fragment of other statements
  }
}
