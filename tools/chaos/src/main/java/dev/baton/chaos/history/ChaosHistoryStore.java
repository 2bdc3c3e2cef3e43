/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Stores a history in files: {@code history.json}, one JSON line per record in {@code log.jsonl},
 * {@code seen.jsonl}, {@code runs.jsonl}, {@code answers.jsonl} and {@code faults.jsonl}, and the
 * ledger as written by the steps, {@code ledger.txt}.
 *
 * @param path the folder
 */
public record ChaosHistoryStore(Path path) {
  /** Mapper for JSON with snake_case names. */
  public static final ObjectMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private static final String LEDGER = "ledger.txt";

  /** The file to which steps append. */
  public Path ledger() {
    return path.resolve(LEDGER);
  }

  /** Writes all files except the ledger, which exists already. */
  public void write(ChaosHistory history) throws IOException {
    Files.createDirectories(path);
    JSON.writerWithDefaultPrettyPrinter()
        .writeValue(path.resolve("history.json").toFile(), history.meta());
    lines("runs.jsonl", history.runs());
    lines("log.jsonl", history.log().stream().map(ChaosHistoryStore::json).toList());
    lines("seen.jsonl", history.seen());
    lines("answers.jsonl", history.answers());
    lines("faults.jsonl", history.faults());
  }

  /** Writes the ledger of a history that was not produced by steps. */
  public void writeLedger(List<LedgerEffect> ledger) throws IOException {
    Files.createDirectories(path);
    Files.write(ledger(), ledger.stream().map(LedgerEffect::text).toList());
  }

  /**
   * @throws IOException naming the file that is missing or corrupt
   */
  public ChaosHistory read() throws IOException {
    Path meta = path.resolve("history.json");
    if (!Files.isRegularFile(meta)) {
      throw new IOException(path + " is not a recorded history: it has no history.json");
    }
    ChaosHistoryMetadata read = JSON.readValue(meta.toFile(), ChaosHistoryMetadata.class);
    if (read.format() != ChaosHistoryMetadata.FORMAT) {
      throw new IOException(
          "%s has format %d; this version reads %d"
              .formatted(meta, read.format(), ChaosHistoryMetadata.FORMAT));
    }
    return new ChaosHistory(
        read,
        read("runs.jsonl", WorkloadRun.class),
        logged(),
        read("seen.jsonl", ObservedRecord.class),
        effects(),
        read("answers.jsonl", ApiResponseRecord.class),
        read("faults.jsonl", FaultRecord.class));
  }

  private static JsonNode json(LoggedRecord record) {
    return JSON.createObjectNode()
        .put("partition", record.partition())
        .put("offset", record.offset())
        .put("id", record.id())
        .put("type", "dev.baton." + record.type())
        .set("data", record.data());
  }

  private List<LoggedRecord> logged() throws IOException {
    List<LoggedRecord> all = new ArrayList<>();
    for (JsonNode line : read("log.jsonl", JsonNode.class)) {
      Optional<LoggedRecord> record =
          LoggedRecord.of(
              line.path("partition").asInt(),
              line.path("offset").asLong(),
              line.path("id").asText(),
              line.path("type").asText(),
              line.path("data"));
      all.add(
          record.orElseThrow(
              () -> new IOException("log.jsonl has a record that is not an event: " + line)));
    }
    return all;
  }

  /** Reads the effects of the steps; skips incomplete lines of killed processes. */
  public List<LedgerEffect> effects() throws IOException {
    List<LedgerEffect> effects = new ArrayList<>();
    int number = 0;
    if (Files.exists(ledger())) {
      for (String line : Files.readAllLines(ledger(), StandardCharsets.ISO_8859_1)) {
        LedgerEffect.parse(++number, line).ifPresent(effects::add);
      }
    }
    return effects;
  }

  private void lines(String name, List<?> values) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(path.resolve(name))) {
      for (Object value : values) {
        out.write(JSON.writeValueAsString(value));
        out.newLine();
      }
    }
  }

  private <T> List<T> read(String name, Class<T> type) throws IOException {
    Path file = path.resolve(name);
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is missing");
    }
    List<T> values = new ArrayList<>();
    int number = 1;
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine(), number++) {
        values.add(JSON.readValue(line, type));
      }
    } catch (JsonProcessingException e) {
      throw new IOException(
          "line %d of %s is corrupt: %s".formatted(number, file, e.getOriginalMessage()), e);
    }
    return values;
  }
}
