/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

/**
 * That a record was there, as somebody saw it who read along.
 *
 * @param partition of the trace topic
 * @param offset within the partition
 * @param id the event's
 * @param atMs milliseconds since the history began
 */
public record ObservedRecord(int partition, long offset, String id, long atMs) {}
