/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import jakarta.ws.rs.NameBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that streams what happens to the run in its path: {@link StreamedRunFilter} refuses a
 * run that does not exist.
 */
@NameBinding
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface StreamedRun {}
