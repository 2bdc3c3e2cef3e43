/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

/**
 * An injected fault.
 *
 * @param number in the schedule, from 1
 * @param kind such as {@code KILL_RUNNER}
 * @param target that was hit
 * @param beginMs milliseconds from the start of the history to the fault
 * @param endMs and to its healing by the injector
 * @param done false when no target existed, or the injection failed
 * @param detail further details
 */
public record FaultRecord(
    int number,
    String kind,
    String target,
    long beginMs,
    long endMs,
    boolean done,
    String detail) {}
