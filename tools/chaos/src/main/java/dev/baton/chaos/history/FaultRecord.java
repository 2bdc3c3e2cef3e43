/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

/**
 * A fault as it came to be.
 *
 * @param number in the schedule, from 1
 * @param kind such as {@code KILL_RUNNER}
 * @param target what it hit
 * @param beginMs milliseconds from the history's beginning until it was there
 * @param endMs and until it was healed, as far as that is the injector's business
 * @param done false where there was nothing to hit, or hitting it failed
 * @param detail what more there is to say
 */
public record FaultRecord(
    int number,
    String kind,
    String target,
    long beginMs,
    long endMs,
    boolean done,
    String detail) {}
