/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

/**
 * Identifies a resource of the cluster.
 *
 * @param uid unique in the cluster for all time
 */
public record ResourceKey(String uid, String namespace, String name) {}
