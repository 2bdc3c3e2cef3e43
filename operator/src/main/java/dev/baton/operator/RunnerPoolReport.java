/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import org.jspecify.annotations.Nullable;

/**
 * The state of the pool of a RunnerPool.
 *
 * @param wanted number of idle runners that it keeps
 * @param warm number of idle runners, with those that start
 * @param ready number of idle runners whose program runs
 * @param runners number of live runners
 * @param selector of their pods
 * @param refusal a word of the REST API: why the last start was refused; null when it was not
 * @param detail what the launcher reports of a refusal
 */
public record RunnerPoolReport(
    int wanted,
    int warm,
    int ready,
    int runners,
    String selector,
    @Nullable String refusal,
    @Nullable String detail) {}
