/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.util.List;

/** The names of the topics. */
public final class TopicName {
  public static final String TRACE = "baton.trace";
  public static final String HEARTBEATS = "baton.heartbeats";
  public static final String SIGNALS = "baton.signals";
  public static final String LOGS = "baton.logs";
  public static final String NOTIFICATIONS = "baton.notifications";
  public static final String AUDIT = "baton.audit";

  /** The topics that have a dead-letter topic: all that Baton reads. */
  public static final List<String> READ = List.of(TRACE, HEARTBEATS, SIGNALS, LOGS);

  private TopicName() {}

  /**
   * Returns the topic for records of a topic that could not be parsed; their header {@code
   * baton_reason} has the error.
   */
  public static String deadLetters(String topic) {
    return topic + ".dlq";
  }
}
