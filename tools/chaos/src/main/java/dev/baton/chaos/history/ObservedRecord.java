/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

/**
 * Observation of a record by a consumer that reads the topic during the experiment.
 *
 * @param partition of the trace topic
 * @param offset within the partition
 * @param id the event's
 * @param atMs milliseconds since the start of the history
 */
public record ObservedRecord(int partition, long offset, String id, long atMs) {}
