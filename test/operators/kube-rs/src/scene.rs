//! What a user and the operator do with Vessels, and what the server answers.

use std::{error::Error, time::Duration};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Namespace},
        events::v1::Event,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    discovery,
    runtime::{
        WatchStreamExt,
        wait::{await_condition, conditions},
        watcher,
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::timeout};

use crate::{operator, vessel::Vessel};

const NAMESPACE: &str = "rust";
const LONGEST_WAIT: Duration = Duration::from_secs(60);

type Done = Result<(), Box<dyn Error>>;

pub async fn play(client: Client) -> Done {
    let namespace = json!({ "metadata": { "name": NAMESPACE } });
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &serde_json::from_value(namespace)?).await?;
    define(&client).await?;
    refusals(&client).await?;
    applies(&client).await?;
    let (end, ended) = oneshot::channel::<()>();
    let running = tokio::spawn({
        let client = client.clone();
        async move {
            operator::run(client, NAMESPACE, async move {
                let _ = ended.await;
            })
            .await
        }
    });
    life(&client).await?;
    let _ = end.send(());
    timeout(LONGEST_WAIT, running).await??;
    watches(&client).await?;
    events(&client).await
}

fn answer(step: &str, answer: impl Serialize) {
    println!("{}", json!({ "step": step, "answer": answer }));
}

/// Prints what a request that has to be refused was refused with.
fn refused<T>(step: &str, result: Result<T, kube::Error>) -> Done {
    match result {
        Err(kube::Error::Api(status)) => answer(step, status),
        Err(other) => return Err(format!("{step}: {other}").into()),
        Ok(_) => return Err(format!("{step}: the server took it").into()),
    }
    Ok(())
}

fn vessel(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": "rs.example.com/v1", "kind": "Vessel", "metadata": { "name": name }, "spec": spec })
}

fn applied(manager: &str) -> PatchParams {
    PatchParams::apply(manager)
}

/// A Vessel as untyped JSON: nothing of the answer is lost in a type.
fn untyped(client: &Client) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), NAMESPACE, &Vessel::api_resource())
}

async fn define(client: &Client) -> Done {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let name = Vessel::crd_name();
    definitions.patch(name, &applied("scene"), &Patch::Apply(Vessel::crd())).await?;
    let established = await_condition(definitions, name, conditions::is_crd_established());
    let definition = timeout(LONGEST_WAIT, established).await??;
    answer("its definition", definition.map(|definition| definition.spec));
    let (resource, capabilities) =
        discovery::pinned_kind(client, &kube::core::GroupVersionKind::gvk("rs.example.com", "v1", "Vessel")).await?;
    let mut subresources: Vec<_> = capabilities.subresources.iter().map(|(found, _)| found.plural.clone()).collect();
    subresources.sort();
    answer("discovered", json!({ "plural": resource.plural, "subresources": subresources }));
    Ok(())
}

async fn refusals(client: &Client) -> Done {
    let vessels = untyped(client);
    let create = async |name: &str, spec: Value| {
        let object: DynamicObject = serde_json::from_value(vessel(name, spec)).expect("an object");
        vessels.create(&PostParams::default(), &object).await
    };
    refused("a rule of the whole", create("flying-dutchman", json!({ "home": "none" })).await)?;
    refused("a rule of the spec", create("a", json!({ "home": "hull", "crew": 9, "berths": 3 })).await)?;
    refused("a bound", create("a", json!({ "home": "hull", "crew": 51, "berths": 60 })).await)?;
    refused("an enumeration", create("a", json!({ "home": "hull", "rig": "Raft" })).await)?;
    refused(
        "a list by name",
        create("a", json!({ "home": "hull", "decks": [{ "name": "gun" }, { "name": "gun" }] })).await,
    )?;
    refused("a required field", create("a", json!({})).await)?;
    let strict = applied("scene").validation_strict();
    let unknown = vessel("a", json!({ "home": "hull", "keel": true }));
    refused("strict", vessels.patch("a", &strict, &Patch::Apply(unknown)).await)
}

async fn applies(client: &Client) -> Done {
    let vessels = untyped(client);
    let decks = |guns: i32| json!([{ "name": "gun", "guns": guns }, { "name": "main" }]);
    let first = vessel("hispaniola", json!({ "home": "bristol", "crew": 3, "decks": decks(8), "flags": ["red"] }));
    answer("applied", vessels.patch("hispaniola", &applied("squire"), &Patch::Apply(&first)).await?);
    let second = vessel("hispaniola", json!({ "home": "bristol", "decks": [{ "name": "poop" }], "flags": ["black"] }));
    answer("by another, too", vessels.patch("hispaniola", &applied("silver"), &Patch::Apply(&second)).await?);
    let third = vessel("hispaniola", json!({ "home": "bristol", "crew": 4, "decks": decks(9) }));
    refused("a conflict", vessels.patch("hispaniola", &applied("silver"), &Patch::Apply(&third)).await)?;
    answer("forced", vessels.patch("hispaniola", &applied("silver").force(), &Patch::Apply(&third)).await?);
    answer("given up", vessels.patch("hispaniola", &applied("silver"), &Patch::Apply(&second)).await?);
    let elsewhere = json!({ "spec": { "home": "tortuga" } });
    refused(
        "a transition rule",
        vessels.patch("hispaniola", &PatchParams::default(), &Patch::Merge(&elsewhere)).await,
    )?;
    answer("scale", vessels.get_scale("hispaniola").await?);
    let scale = json!({ "spec": { "replicas": 5 } });
    answer("scaled", vessels.patch_scale("hispaniola", &PatchParams::default(), &Patch::Merge(&scale)).await?);
    let selected = vessels.list(&ListParams::default().fields("spec.home=bristol")).await?;
    answer("selected by a field", selected.items);
    let metadata = Api::<Vessel>::namespaced(client.clone(), NAMESPACE).get_metadata("hispaniola").await?;
    answer("metadata alone", metadata);
    Ok(())
}

/// Waits for what the operator does, and returns the Vessel as it is then.
async fn until(client: &Client, step: &str, holds: impl Fn(&Vessel) -> bool) -> Result<DynamicObject, Box<dyn Error>> {
    let vessels = Api::<Vessel>::namespaced(client.clone(), NAMESPACE);
    let condition = |object: Option<&Vessel>| object.is_some_and(&holds);
    match timeout(LONGEST_WAIT, await_condition(vessels, "hispaniola", condition)).await {
        Ok(found) => found.map(|_| ())?,
        Err(_) => return Err(format!("not within a minute: {step}").into()),
    }
    Ok(untyped(client).get("hispaniola").await?)
}

fn observed(vessel: &Vessel) -> bool {
    vessel.status.as_ref().is_some_and(|status| Some(status.observed_generation) == vessel.metadata.generation)
}

async fn life(client: &Client) -> Done {
    answer("afloat", until(client, "it is afloat", observed).await?);
    let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
    let deployments = Api::<Deployment>::namespaced(client.clone(), NAMESPACE);
    answer("its papers", maps.get("hispaniola").await?);
    let crew = deployments.get("hispaniola").await?;
    answer("its crew", crew.spec);

    let papers = maps.get("hispaniola").await?.uid().unwrap_or_default();
    maps.delete("hispaniola", &DeleteParams::default()).await?;
    let back = |map: Option<&ConfigMap>| map.is_some_and(|map| map.uid().unwrap_or_default() != papers);
    let again = timeout(LONGEST_WAIT, await_condition(maps.clone(), "hispaniola", back)).await??;
    answer("its papers again", again.and_then(|map| map.data));

    let larger = json!({ "spec": { "crew": 7 } });
    untyped(client).patch("hispaniola", &PatchParams::default(), &Patch::Merge(&larger)).await?;
    let grown = |vessel: &Vessel| observed(vessel) && vessel.status.as_ref().is_some_and(|status| status.crew == 7);
    answer("a crew of seven", until(client, "it has a crew of seven", grown).await?);

    let vessels = Api::<Vessel>::namespaced(client.clone(), NAMESPACE);
    let uid = vessels.get("hispaniola").await?.uid().unwrap_or_default();
    vessels.delete("hispaniola", &DeleteParams::default()).await?;
    timeout(LONGEST_WAIT, await_condition(vessels, "hispaniola", conditions::is_deleted(&uid))).await??;
    refused("it is gone", untyped(client).get("hispaniola").await)?;
    refused("so are its papers", maps.get("hispaniola").await)
}

/// The names that a watcher starts with, by both ways of listing, and a plain watch that is let know.
async fn watches(client: &Client) -> Done {
    let vessels = untyped(client);
    for number in 1..=3 {
        let name = format!("boat-{number}");
        let boat = vessel(&name, json!({ "home": "hull" }));
        vessels.patch(&name, &applied("scene"), &Patch::Apply(&boat)).await?;
    }
    for (step, config) in [
        ("listed in pages", watcher::Config::default().page_size(2)),
        ("streamed", watcher::Config::default().streaming_lists()),
    ] {
        let applied = watcher::watcher(untyped_any(client), config).applied_objects().take(3);
        let mut names: Vec<String> =
            timeout(LONGEST_WAIT, applied.map_ok(|boat| boat.name_any()).try_collect()).await??;
        names.sort();
        answer(step, names);
    }
    let stream = vessels.watch(&WatchParams::default().timeout(60), "0").await?.boxed();
    vessels.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    let mut deleted: Vec<String> = timeout(
        LONGEST_WAIT,
        stream
            .try_filter_map(async |event| {
                Ok(match event {
                    WatchEvent::Deleted(boat) => Some(boat.name_any()),
                    _ => None,
                })
            })
            .take(3)
            .try_collect(),
    )
    .await??;
    deleted.sort();
    answer("deleted together", deleted);
    Ok(())
}

fn untyped_any(client: &Client) -> Api<Vessel> {
    Api::namespaced(client.clone(), NAMESPACE)
}

/// What Events say. How often one was repeated depends on how fast a watch was.
async fn events(client: &Client) -> Done {
    let found = Api::<Event>::namespaced(client.clone(), NAMESPACE).list(&ListParams::default()).await?;
    let mut said: Vec<_> = found.items.into_iter().map(|event| (event.type_, event.reason, event.note)).collect();
    said.sort();
    said.dedup();
    answer("events", said);
    Ok(())
}
