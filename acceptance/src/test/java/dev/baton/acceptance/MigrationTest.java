/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks the migrations of both services against the last recorded version: during an upgrade its
 * replicas run on the new schema, and afterwards it may be started again. So recorded migrations
 * stay as they are, and new ones only add. To record the current ones, after a release: {@code
 * -Dbaton.contract.record=true}.
 */
class MigrationTest {
  private static final List<Path> FOLDERS =
      List.of(
          Path.of("..", "checkpoint-store", "src/main/resources/db/migration"),
          Path.of("..", "orchestrator", "src/main/resources/db/orchestrator"));
  private static final Path RECORDED = Path.of("src/test/resources/recorded/migrations.sha256");

  private static final Pattern COMMENT = Pattern.compile("--[^\n]*");
  private static final Pattern ADDS =
      Pattern.compile(
          "create table .*|create view .*|create index .*|create sequence .*|insert into .*"
              + "|create unique index .* where .*|alter table \\S+ add column .*");
  private static final Pattern REQUIRED_COLUMN = Pattern.compile(".*\\bnot null\\b.*");
  private static final Pattern DEFAULT = Pattern.compile(".*\\bdefault\\b.*");

  @Test
  void shouldOnlyAddToTheSchemaOfTheRecordedVersion() throws Exception {
    Map<String, Path> current = migrations();
    if (Boolean.getBoolean("baton.contract.record")) {
      record(current);
    }
    Map<String, String> recorded = recorded();

    assertThat(current.keySet()).as("recorded migrations").containsAll(recorded.keySet());
    List<String> faults = new ArrayList<>();
    for (Map.Entry<String, Path> migration : current.entrySet()) {
      String digest = recorded.get(migration.getKey());
      if (digest == null) {
        if (isBelowRecorded(migration.getKey(), recorded.keySet())) {
          faults.add(migration.getKey() + " is numbered below a recorded one");
        }
        faults.addAll(
            takesAway(Files.readString(migration.getValue())).stream()
                .map(statement -> migration.getKey() + ": " + statement)
                .toList());
      } else if (!digest.equals(digest(migration.getValue()))) {
        faults.add(migration.getKey() + " was changed after it was recorded");
      }
    }

    assertThat(recorded).hasSizeGreaterThan(20);
    assertThat(faults).isEmpty();
  }

  @Test
  void shouldFindANumberThatARecordedVersionDoesNotExpect() {
    Set<String> recorded = Set.of("orchestrator/V3__pause.sql", "checkpoint-store/V9__a.sql");

    assertThat(isBelowRecorded("orchestrator/V2__late.sql", recorded)).isTrue();
    assertThat(isBelowRecorded("orchestrator/V4__next.sql", recorded)).isFalse();
  }

  /** A program ignores migrations that it does not have only above its own newest one. */
  private static boolean isBelowRecorded(String migration, Set<String> recorded) {
    String service = migration.substring(0, migration.indexOf('/') + 1);
    return recorded.stream()
        .filter(name -> name.startsWith(service))
        .anyMatch(name -> number(name) > number(migration));
  }

  private static int number(String migration) {
    return Integer.parseInt(
        migration.substring(migration.indexOf("/V") + "/V".length(), migration.indexOf("__")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TABLE orchestrator.run",
        "ALTER TABLE orchestrator.run DROP COLUMN epoch",
        "ALTER TABLE orchestrator.run RENAME COLUMN epoch TO age",
        "ALTER TABLE orchestrator.run ALTER COLUMN epoch TYPE bigint",
        "ALTER TABLE orchestrator.run ADD COLUMN team text NOT NULL",
        "ALTER TABLE orchestrator.run ADD CONSTRAINT positive CHECK (epoch > 0)",
        "DELETE FROM orchestrator.run",
        "CREATE INDEX a ON store.event (run); DROP INDEX store.event_run"
      })
  void shouldFindWhatTheRecordedVersionCannotLiveWith(String sql) {
    assertThat(takesAway(sql)).hasSize(1);
  }

  /** Returns the statements that may break programs of the version before. */
  private static List<String> takesAway(String sql) {
    return Stream.of(COMMENT.matcher(sql).replaceAll("").split(";", -1))
        .map(statement -> statement.strip().replaceAll("\\s+", " "))
        .filter(statement -> !statement.isEmpty())
        .filter(statement -> !onlyAdds(statement.toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static boolean onlyAdds(String statement) {
    if (!ADDS.matcher(statement).matches()) {
      return false;
    }
    return !statement.startsWith("alter table")
        || !REQUIRED_COLUMN.matcher(statement).matches()
        || DEFAULT.matcher(statement).matches();
  }

  /** Returns all migrations by service and file name. */
  private static Map<String, Path> migrations() throws IOException {
    Map<String, Path> all = new TreeMap<>();
    for (Path folder : FOLDERS) {
      String service = folder.getName(1).toString();
      try (Stream<Path> files = Files.list(folder)) {
        files.forEach(file -> all.put(service + "/" + file.getFileName(), file));
      }
    }
    return all;
  }

  private static Map<String, String> recorded() throws IOException {
    Map<String, String> digests = new TreeMap<>();
    for (String line : Files.readAllLines(RECORDED)) {
      List<String> words = List.of(line.split("  ", 2));
      digests.put(words.get(1), words.get(0));
    }
    return digests;
  }

  private static void record(Map<String, Path> current)
      throws IOException, NoSuchAlgorithmException {
    StringBuilder lines = new StringBuilder();
    for (Map.Entry<String, Path> migration : current.entrySet()) {
      lines.append(digest(migration.getValue())).append("  ").append(migration.getKey());
      lines.append('\n');
    }
    Files.writeString(RECORDED, lines, StandardCharsets.UTF_8);
  }

  private static String digest(Path file) throws IOException, NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }
}
