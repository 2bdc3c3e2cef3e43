/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Classifies why a consumer moved a record to a dead-letter topic, with a hint for its producer.
 * Derived from the text of {@code baton_reason}, so that it also applies to records that earlier
 * versions moved.
 */
public enum DeadLetterReason {
  NOT_A_CLOUD_EVENT(
      "not a CloudEvent: .*",
      "send the headers ce_specversion (1.0), ce_id, ce_source and ce_type with every record; see"
          + " docs/events.md, section Form"),
  WRONG_TYPE(
      "ce_type '.*",
      "set ce_type to a type that the topic accepts: dev.baton.<event>; see docs/events.md,"
          + " section Fields"),
  WRONG_ID(
      "(ce_subject '|event id '|lane '|seq -?\\d|epoch -?\\d).*",
      "set ce_id to <run>/<lane>/<seq>, with the lane 'c' or the epoch and seq from 1, and"
          + " ce_subject to the run id"),
  WRONG_KEY(
      "key '.*|its run is not the key|the key is not UTF-8",
      "set the record's key to the run id, in lower case and UTF-8"),
  LEASE_REFUSED(
      "\\S+: lease refused \\(.*",
      "send a lease of this run and epoch in the header ce_batonlease: the current one is in the"
          + " runner's assignment, or in the response of POST /runs"),
  SIGNATURE_REFUSED(
      "\\S+: signature refused \\(.*",
      "leave control events and signals to the orchestrator, which signs them: use its API to"
          + " cancel, pause or answer"),
  SEQUENCE_REFUSED(
      "\\S+: sequence refused: .*",
      "leave control events to the orchestrator, which numbers and signs them; number the events of"
          + " your own lanes 1, 2, 3"),
  WRONG_PARTITION(
      "\\S+: partition \\d+ is not the run's home partition \\d+.*",
      "send all records of a run to its home partition, which POST /runs and GET /runs/{id} return"
          + " as home_partition: clients that are not Java's choose another one for the same key;"
          + " see docs/events.md, section Partitions"),
  MISSING_FIELD(
      ".* lacks the field '[^']*'",
      "add the field to the record's JSON; docs/events.md, section Fields, lists the required"
          + " fields of each type"),
  OUT_OF_BOUNDS(
      ".*: '[^']*' is out of bounds; allowed: .*", "set the field to a value that is allowed"),
  NOT_STORABLE(
      "\\S+ (was refused by Postgres: |has a NUL character in ).*",
      "remove NUL characters and values that are too large from the record's JSON and headers"),
  INVALID_DATA(
      "\\S+: data: .*|\\S+: data is not a JSON object|\\S+ has no data"
          + "|dev\\.baton\\.[a-z_]+ .*",
      "send one JSON object as the value, with the types that docs/events.md, section Fields,"
          + " lists"),
  OTHER(
      ".*",
      "read the message and the consumer's log at this time; report it if the record is as"
          + " docs/events.md describes");

  private final Pattern text;
  private final String hint;

  DeadLetterReason(String text, String hint) {
    this.text = Pattern.compile(text, Pattern.DOTALL);
    this.hint = hint;
  }

  /**
   * Returns the class of a reason.
   *
   * @param text of the header {@code baton_reason}
   */
  public static DeadLetterReason of(String text) {
    for (DeadLetterReason reason : values()) {
      if (reason.text.matcher(text).matches()) {
        return reason;
      }
    }
    return OTHER;
  }

  /** Returns the reason with this word, or empty for any other text. */
  public static Optional<DeadLetterReason> ofWord(String word) {
    return Arrays.stream(values()).filter(reason -> reason.word().equals(word)).findFirst();
  }

  /** Returns all words, separated by a comma, for messages. */
  public static String words() {
    return List.of(values()).stream().map(DeadLetterReason::word).collect(Collectors.joining(", "));
  }

  /** Returns the code in JSON and in filters, for example {@code missing_field}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns one line: what the producer of the record can do. */
  public String hint() {
    return hint;
  }
}
